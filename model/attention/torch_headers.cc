// Nothing to compile: this target exists for its precompiled header.
