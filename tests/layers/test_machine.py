from tidemill.machine import Machine


def test_this_machine_has_an_architecture_memory_and_an_engine() -> None:
    machine = Machine.here()
    assert machine.features & {"x86_64", "arm64"}
    assert machine.memory_mb > 100
    assert "onnx" in machine.engines


def test_less_memory_may_be_granted_than_there_is_and_not_more() -> None:
    there = Machine.here().memory_mb
    assert Machine.here(memory_mb=128).memory_mb == 128
    assert Machine.here(memory_mb=there + 1).memory_mb == there
