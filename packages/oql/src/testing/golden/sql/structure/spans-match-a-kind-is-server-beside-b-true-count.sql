-- spans | match a{kind == server} ~ b{true} | count
WITH toUInt64(round(sum(c36))) AS c73
SELECT c73 AS r1
FROM (
  WITH groupArray(tuple(weight)) AS c34,
    groupArray(byteSwap(reinterpretAsUInt64(span_id))) AS c18,
    arraySort(c18) AS c19,
    groupArray(byteSwap(reinterpretAsUInt64(parent_span_id))) AS c20,
    arraySort((x, k) -> k, c20, c18) AS c21,
    arrayMap(p -> indexOfAssumeSorted(c19, p), c21) AS c26,
    groupArray((kind = 'server')) AS c22,
    arraySort((x, k) -> k, c22, c18) AS c23,
    groupArray(true) AS c24,
    arraySort((x, k) -> k, c24, c18) AS c25,
    arrayMap((f, p, i1) -> if(f AND p > 0, arrayFirstIndex((q, l, j) -> q = p AND l AND j != i1, c26, c23, arrayEnumerate(c26)), 0), c25, c26, arrayEnumerate(c26)) AS c27,
    arrayMap(p -> p > 0, c27) AS c28,
    trace_id AS c31
  SELECT arraySort((x, k) -> k, arrayMap(t -> t.1, c34), c18) AS c35,
    arrayFilter((i, f) -> f, arrayEnumerate(c19), c28) AS c29
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND (trace_id IN (
    SELECT trace_id AS c32
    FROM spans
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND ((kind = 'server') OR true)
    GROUP BY c32
    HAVING ((countIf((kind = 'server')) > 0) AND (countIf(true) > 0))
  ))
  GROUP BY c31
)
ARRAY JOIN arrayMap(i -> c35[i], c29) AS c36
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
