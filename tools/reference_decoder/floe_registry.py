"""What an encoding says of itself, and the table of all of them: each is a function that reads the header of a node, opens the children, and returns
an iterator over the words. Words are numbers from 0 to 2^W - 1, whatever their type."""

# Bytes of a word of each type.
WIDTHS = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "u8": 1, "u16": 2, "u32": 4, "u64": 8, "bool": 1}
FLOATS = ("f64", "f32", "f16", "bf16")


def is_integer(type_name, *_parameters):
    return type_name not in FLOATS


def is_float(type_name, *_parameters):
    return type_name in FLOATS


def takes_all(_type_name, *_parameters):
    return True


def no_children(_type_name, *_parameters):
    return []


def signed_of(type_name):
    return f"i{8 * WIDTHS[type_name]}"


def unsigned_of(type_name):
    return f"u{8 * WIDTHS[type_name]}"


class Encoding:
    def __init__(self, name, open_node, ranges, takes, children):
        self.name = name
        self.open = open_node
        self.ranges = ranges  # of the parameters
        self.takes = takes  # type and parameters
        self.children = children  # types, from type and parameters


ENCODINGS = {}


def encoding(identifier, name, ranges=(), takes=takes_all, children=no_children):
    """Makes a function that opens a node an encoding."""

    def add(open_node):
        ENCODINGS[identifier] = Encoding(name, open_node, ranges, takes, children)
        return open_node

    return add
