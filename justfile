# Every check and every task has one recipe here; CI runs the same ones.
# Without just: `python3 -m venv .venv && .venv/bin/pip install uv rust-just`, then `.venv/bin/just`.

uv := env("UV", if path_exists(justfile_directory() / ".venv/bin/uv") == "true" { justfile_directory() / ".venv/bin/uv" } else { "uv" })
# uv remembers that it built Tidemill, and does not see that what this left beside the C was deleted since.
build := if path_exists(justfile_directory() / "layers/tidemill/native/encoder-linux-x86_64-avx2.so") == "true" { "" } else { "--reinstall-package tidemill" }
export UV_PROJECT_ENVIRONMENT := justfile_directory() / ".venv"

# List the recipes
default:
    @just --list --unsorted

# Run the whole cloud on this machine and show a file being answered
demo *options: (_install "--extra demo")
    .venv/bin/tidemill demo {{ options }}

# Everything that CI runs
test: setup lint types layers unit infra e2e readme

# Install what developing takes
setup: (_install "--extra demo --group dev")

# Style and form
lint:
    .venv/bin/ruff check .
    .venv/bin/ruff format --check .

# Types, strictly
types:
    .venv/bin/mypy

# Who may import whom
layers:
    .venv/bin/lint-imports

# The inference package and the functions. `just optimize` measures what needs its environment
unit *options:
    .venv/bin/pytest tests/layers tests/handlers --cov=layers/tidemill --cov=handlers --cov-report= {{ options }}
    .venv/bin/coverage report --omit='layers/tidemill/optimize/*,layers/tidemill/engines/openvino.py,layers/tidemill/bench/checkpoint.py,layers/tidemill/bench/reshaped_work.py,layers/tidemill/bench/subjects/transformers.py' --fail-under=95

# The CDK app (templates, cdk-nag, cfn-lint), its local stand-ins, and the container image where it can be built
infra *options:
    .venv/bin/pytest tests/infra {{ options }}

# The app in the local AWS emulator
e2e *options:
    .venv/bin/pytest tests/e2e {{ options }}

# The commands in the README
readme:
    .venv/bin/pytest tests/test_readme.py

# `tidemill optimize`, both engines and the baseline of `bench`, in the environment that they take; CI runs it after the rest
optimize *options: setup-optimize
    .venv-optimize/bin/python -m pytest tests/layers/optimize tests/layers/engines tests/layers/bench --cov=layers/tidemill/optimize --cov=layers/tidemill/engines --cov-fail-under=95 {{ options }}
    .venv-optimize/bin/python -m pytest tests/test_readme.py -k venv-optimize

# Make that environment, with pip: it takes a CPU build of PyTorch where one is offered (PIP_EXTRA_INDEX_URL)
setup-optimize:
    test -x .venv-optimize/bin/python || python3 -m venv .venv-optimize
    .venv-optimize/bin/pip install --quiet torch==2.13.0
    {{ uv }} export --locked --quiet --no-hashes --no-emit-project --extra optimize --extra openvino --group test --group parity --prune torch --output-file .venv-optimize/requirements.txt
    .venv-optimize/bin/pip install --quiet --requirement .venv-optimize/requirements.txt
    .venv-optimize/bin/pip install --quiet --no-deps --editable .

# Refresh what the image installs from the lock
requirements:
    .venv/bin/python -m infra.image.requirements

# Put the code in form
fmt:
    .venv/bin/ruff check --fix .
    .venv/bin/ruff format .

# The CDK's command line: `just cdk deploy`
cdk *arguments: (_install "--extra demo")
    .venv/bin/python -m infra.cdk {{ arguments }}

_install what:
    {{ uv }} sync --locked --quiet --inexact {{ build }} {{ what }}
