-- spans | match {root} > {name == "POST /pay"} > c{kind == client} | stats n=count(), t=count_distinct(trace_id)
WITH toUInt64(round(sum(c40))) AS c77,
  uniqExact(c64) AS c78
SELECT c77 AS r1,
  c78 AS r2
FROM (
  WITH groupArray(tuple(weight)) AS c38,
    groupArray(byteSwap(reinterpretAsUInt64(span_id))) AS c17,
    arraySort(c17) AS c18,
    groupArray((parent_span_id = toFixedString('', 8))) AS c21,
    arraySort((x, k) -> k, c21, c17) AS c22,
    groupArray((name = {p1:String})) AS c23,
    arraySort((x, k) -> k, c23, c17) AS c24,
    groupArray(byteSwap(reinterpretAsUInt64(parent_span_id))) AS c19,
    arraySort((x, k) -> k, c19, c17) AS c20,
    arrayMap(p -> indexOfAssumeSorted(c18, p), c20) AS c27,
    arrayMap((f, p) -> if(f AND p > 0 AND c22[p], p, 0), c24, c27) AS c28,
    arrayMap(p -> p > 0, c28) AS c29,
    groupArray((kind = 'client')) AS c25,
    arraySort((x, k) -> k, c25, c17) AS c26,
    arrayMap((f, p) -> if(f AND p > 0 AND c29[p], p, 0), c26, c27) AS c30,
    arrayMap(p -> p > 0, c30) AS c31,
    groupArray(tuple(trace_id)) AS c62,
    trace_id AS c35
  SELECT arraySort((x, k) -> k, arrayMap(t -> t.1, c38), c17) AS c39,
    arrayFilter((i, f) -> f, arrayEnumerate(c18), c31) AS c32,
    arraySort((x, k) -> k, arrayMap(t -> t.1, c62), c17) AS c63
  FROM spans
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND (trace_id IN (
    SELECT trace_id AS c36
    FROM spans
    WHERE workspace = {p2:UInt32}
    AND project = {p3:UInt32}
    AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND ((parent_span_id = toFixedString('', 8)) OR (name = {p1:String}) OR (kind = 'client'))
    GROUP BY c36
    HAVING ((countIf((parent_span_id = toFixedString('', 8))) > 0) AND (countIf((name = {p1:String})) > 0) AND (countIf((kind = 'client')) > 0))
  ))
  GROUP BY c35
)
ARRAY JOIN arrayMap(i -> c39[i], c32) AS c40,
  arrayMap(i -> c63[i], c32) AS c64
LIMIT 1001
-- p1 = "POST /pay"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
