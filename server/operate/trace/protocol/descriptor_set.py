"""Writes the FileDescriptorSet that protoc reads, from Python modules that protoc has generated:

    descriptor_set.py ROOT OUTPUT MODULE...

OpenTelemetry publishes its protocol on the Python package index as such modules only. Each hands the bytes of its
FileDescriptorProto to AddSerializedFile; they are read without being run. A set is its files as field 1, one after
another, and protoc wants a file behind those that it imports: MODULEs are named in that order.
"""

import ast
import pathlib
import sys


def serialized_file(source):
    """The argument of AddSerializedFile."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "AddSerializedFile":
            return ast.literal_eval(node.args[0])
    raise ValueError("there is no AddSerializedFile in it")


def varint(number):
    out = b""
    while number > 127:
        out += bytes((number & 127 | 128,))
        number >>= 7
    return out + bytes((number,))


def main(root, output, *modules):
    out = b""
    for module in modules:
        file = serialized_file(pathlib.Path(root, module).read_text(encoding="utf-8"))
        out += b"\x0a" + varint(len(file)) + file
    pathlib.Path(output).write_bytes(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
