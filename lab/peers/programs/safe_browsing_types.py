"""The classes of the messages of safe_browsing.proto, made of what protoc wrote to the file SAFE_BROWSING_TYPES."""

import os

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.internal import api_implementation

# The two readers of google.protobuf for Python do not refuse the same messages.
if api_implementation.Type() != "upb":
    raise SystemExit("google.protobuf has its reader in Python alone; upb was expected")

PACKAGE = "google.security.safebrowsing.v5"

_pool = descriptor_pool.DescriptorPool()
with open(os.environ["SAFE_BROWSING_TYPES"], "rb") as _file:
    for _proto in descriptor_pb2.FileDescriptorSet.FromString(_file.read()).file:
        _pool.Add(_proto)


def type_of(name):
    return message_factory.GetMessageClass(_pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))


BatchGetHashListsResponse = type_of("BatchGetHashListsResponse")
HashList = type_of("HashList")
SearchHashesResponse = type_of("SearchHashesResponse")
