"""OpenTelemetry in and out: spans that others send or have stored, and ours for others. Docs: docs/opentelemetry.md.

The map:

    spans       a span as a value
    protobuf, otlp_json, json_fields, json_out   the same as it is sent
    intake      what becomes of a request: the one decision behind both receivers;  sink  where it goes
    signals     metrics and logs, which are declined
    grpc_server, http_server   the two receivers;  receivers  both of them in a thread of their own
    rows        a span as a row;  span_file, span_writer, span_reader   the tables of spans in a recording
    forest      spans of one trace in order, whatever is missing, late, twice or in a circle;  tree  span by span
    chains      spans of a hook host, read back as chains
    files, jaeger   spans in files;  loading   a file into a sink
    outward     our own dispatches as spans, for a collector or a file;  redacting  others' without their secrets
    arrivals    traces as they come in;  command  `hookscope listen`;  wishes  what it is asked for
    collector   where somebody else listens;  sending  spans to it, afterwards
"""
