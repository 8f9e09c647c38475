import logging

from common import FALLBACK, changing, compare, contexts, settings, watch
from growthbook import GrowthBook

logging.disable(logging.CRITICAL)
client = GrowthBook(
    api_host=f"{settings['base']}/growthbook", client_key=settings["serverKey"], streaming=True, cache_ttl=3600
)
client.load_features()


def evaluator_of(context):
    attributes = dict(context)
    attributes["id"] = attributes.pop("targetingKey")
    client.set_attributes(attributes)

    def evaluate(flag):
        value = client.get_feature_value(flag["key"], FALLBACK)
        return None if value == FALLBACK else value

    return evaluate


compare(evaluator_of, local=True)
watch(lambda: evaluator_of(contexts[0])(changing))
