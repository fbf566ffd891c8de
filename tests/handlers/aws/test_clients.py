from typing import Any

from handlers.aws.clients import s3, sqs


def test_there_is_one_client_of_each_service_and_it_does_not_wait_for_ever() -> None:
    s3.cache_clear()
    sqs.cache_clear()

    assert s3() is s3()
    assert sqs() is sqs()
    for client in (s3(), sqs()):
        settings: Any = client.meta.config
        assert settings.connect_timeout == 5
        assert settings.read_timeout == 30
