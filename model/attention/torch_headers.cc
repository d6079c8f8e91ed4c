// This file is empty: its target exists for the precompiled header.
