"""What AWS is told before anything runs.

jsii starts Node.js the moment `aws_cdk` is first imported, so the choice of Node.js is made here:
before any module of this package can import it.
"""

from infra.node import choose_node

choose_node()
