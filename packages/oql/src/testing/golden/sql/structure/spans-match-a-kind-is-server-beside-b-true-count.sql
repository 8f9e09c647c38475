-- spans | match a{kind == server} ~ b{true} | count
WITH toUInt64(round(sum(c35))) AS c72
SELECT c72 AS r1
FROM (
  WITH groupArray(tuple(weight)) AS c33,
    groupArray(byteSwap(reinterpretAsUInt64(span_id))) AS c17,
    arraySort(c17) AS c18,
    groupArray(byteSwap(reinterpretAsUInt64(parent_span_id))) AS c19,
    arraySort((x, k) -> k, c19, c17) AS c20,
    arrayMap(p -> indexOfAssumeSorted(c18, p), c20) AS c25,
    groupArray((kind = 'server')) AS c21,
    arraySort((x, k) -> k, c21, c17) AS c22,
    groupArray(true) AS c23,
    arraySort((x, k) -> k, c23, c17) AS c24,
    arrayMap((f, p, i1) -> if(f AND p > 0, arrayFirstIndex((q, l, j) -> q = p AND l AND j != i1, c25, c22, arrayEnumerate(c25)), 0), c24, c25, arrayEnumerate(c25)) AS c26,
    arrayMap(p -> p > 0, c26) AS c27,
    trace_id AS c30
  SELECT arraySort((x, k) -> k, arrayMap(t -> t.1, c33), c17) AS c34,
    arrayFilter((i, f) -> f, arrayEnumerate(c18), c27) AS c28
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND (trace_id IN (
    SELECT trace_id AS c31
    FROM spans
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND ((kind = 'server') OR true)
    GROUP BY c31
    HAVING ((countIf((kind = 'server')) > 0) AND (countIf(true) > 0))
  ))
  GROUP BY c30
)
ARRAY JOIN arrayMap(i -> c34[i], c28) AS c35
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
