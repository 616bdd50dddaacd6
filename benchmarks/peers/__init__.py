# SPDX-License-Identifier: Apache-2.0
"""What others would use instead: PyTorch, JAX and onnxruntime, in processes of an own environment.

`environment` finds or makes that environment, `process` talks to a process of it, and `beside`
makes peers of it all. The rest runs there and imports neither einsummable nor what it needs:
`worker` answers requests, with one module a library.
"""
