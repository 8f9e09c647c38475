"""What a program does that knows of OpenTelemetry's API alone; opentelemetry-instrument does the rest."""

import logging

from opentelemetry import metrics, trace

tracer = trace.get_tracer("shop")
orders = metrics.get_meter("shop").create_counter("shop.orders")
seconds = metrics.get_meter("shop").create_histogram("shop.checkout", unit="s")
logging.basicConfig(level=logging.INFO)

for number in range(25):
    with tracer.start_as_current_span("checkout", attributes={"order": number, "tags": ["a", "b"]}) as span:
        orders.add(1, {"currency": "EUR"})
        seconds.record(0.1 * number)
        logging.getLogger("shop").warning("order %d is late", number)
        if number % 5 == 0:
            span.record_exception(ValueError("out of stock"))
            span.set_status(trace.StatusCode.ERROR)
