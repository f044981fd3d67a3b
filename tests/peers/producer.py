"""A producer of device arrays without children, which builds Arrow's C structs from addresses without a library."""

import ctypes
import time

import pairs

CUDA = 2


class Producer:
    """Keeps the memory of each exported array until its `release` is called, and then drops the memory at once."""

    def __init__(self):
        self.alive = {}
        self.callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.release)

    def release(self, address):
        ctypes.c_void_p.from_address(address + 64).value = None
        self.alive.pop(ctypes.c_int64.from_address(address + 72).value)

    def export(self, ordinal, length, addresses, kept, event=None, null_count=0, offset=0):
        """Exports the buffers at these addresses, or None for no buffer. `kept` owns them. `event` is a CUevent."""
        number = len(self.alive) + 1
        while number in self.alive:
            number += 1
        buffers = (ctypes.c_void_p * len(addresses))(*addresses)
        handle = ctypes.c_void_p(event)
        self.alive[number] = (kept, buffers, handle)
        capsule, at = pairs.room("device_array")
        for i, value in enumerate((length, null_count, offset, len(buffers), 0)):
            ctypes.c_int64.from_address(at + 8 * i).value = value
        ctypes.c_void_p.from_address(at + 40).value = ctypes.addressof(buffers)
        ctypes.c_void_p.from_address(at + 64).value = ctypes.cast(self.callback, ctypes.c_void_p).value
        ctypes.c_int64.from_address(at + 72).value = number
        ctypes.c_int64.from_address(at + 80).value = ordinal
        ctypes.c_int32.from_address(at + 88).value = CUDA
        ctypes.c_void_p.from_address(at + 96).value = ctypes.addressof(handle) if event else None
        return capsule

    def wait(self):
        begin = time.monotonic()
        while self.alive and time.monotonic() - begin < 5:
            time.sleep(0.01)
        assert not self.alive, f"{len(self.alive)} arrays were never released"


def takes(array):
    """Returns whether the producer supports the type of the array: no children, and no buffer of lengths."""
    import pyarrow as pa

    nested = pa.types.is_nested(array.type) or pa.types.is_dictionary(array.type) or pa.types.is_run_end_encoded(array.type)
    views = pa.types.is_string_view(array.type) or pa.types.is_binary_view(array.type)
    return not (nested or views or pa.types.is_null(array.type))


def addresses(exported, count):
    """Returns the addresses of the first `count` buffers of an exported array."""
    at = pairs.at(exported.device_array, "device_array")
    return list((ctypes.c_void_p * count).from_address(ctypes.c_void_p.from_address(at + 40).value))


def offset(exported):
    return ctypes.c_int64.from_address(pairs.at(exported.device_array, "device_array") + 16).value


def event(exported):
    """Returns the address of the CUevent of an exported array, or None."""
    return ctypes.c_void_p.from_address(pairs.at(exported.device_array, "device_array") + 96).value


def set_device(exported, kind, ordinal, event=None):
    """Sets the device of an exported array. `event` is the address of a CUevent."""
    at = pairs.at(exported.device_array, "device_array")
    ctypes.c_int64.from_address(at + 80).value = ordinal
    ctypes.c_int32.from_address(at + 88).value = kind
    ctypes.c_void_p.from_address(at + 96).value = event


def forget_null_counts(at):
    """Sets null counts of columns with a mask and nulls to -1, which means "not counted", at all levels."""
    nulls, number, children = (ctypes.c_int64.from_address(at + 8 * i) for i in (1, 3, 4))
    buffers, below, dictionary = (ctypes.c_void_p.from_address(at + 40 + 8 * i).value for i in range(3))
    if nulls.value > 0 and number.value and ctypes.c_void_p.from_address(buffers).value:
        nulls.value = -1
    if children.value:
        for child in (ctypes.c_void_p * children.value).from_address(below):
            forget_null_counts(child)
    if dictionary:
        forget_null_counts(dictionary)
