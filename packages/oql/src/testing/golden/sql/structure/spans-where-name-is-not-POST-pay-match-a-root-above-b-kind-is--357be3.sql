-- spans | where name != "POST /pay" | match a{root} >> b{kind == client} | count
WITH toUInt64(round(sum(c35))) AS c72
SELECT c72 AS r1
FROM (
  WITH groupArray(tuple(weight)) AS c33,
    groupArray(byteSwap(reinterpretAsUInt64(span_id))) AS c17,
    arraySort(c17) AS c18,
    groupArray(byteSwap(reinterpretAsUInt64(parent_span_id))) AS c19,
    arraySort((x, k) -> k, c19, c17) AS c20,
    arrayMap(p -> indexOfAssumeSorted(c18, p), c20) AS c25,
    groupArray(((name != {p1:String}) AND (parent_span_id = toFixedString('', 8)))) AS c21,
    arraySort((x, k) -> k, c21, c17) AS c22,
    groupArray(((name != {p1:String}) AND (kind = 'client'))) AS c23,
    arraySort((x, k) -> k, c23, c17) AS c24,
    arrayMap((n, f) -> if(f, n, 0), arrayFold((acc, k) -> (arrayMap((n, u) -> if(n > 0 OR u = 0, n, acc.1[u]), acc.1, acc.2), arrayMap(u -> if(u = 0, 0, acc.2[u]), acc.2)), range(toUInt64(ceil(log2(length(c25) + 1)))), (arrayMap(p -> if(p > 0 AND c22[p], p, 0), c25), c25)).1, c24) AS c26,
    arrayMap(p -> p > 0, c26) AS c27,
    trace_id AS c30
  SELECT arraySort((x, k) -> k, arrayMap(t -> t.1, c33), c17) AS c34,
    arrayFilter((i, f) -> f, arrayEnumerate(c18), c27) AS c28
  FROM spans
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND (trace_id IN (
    SELECT trace_id AS c31
    FROM spans
    WHERE workspace = {p2:UInt32}
    AND project = {p3:UInt32}
    AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND (((name != {p1:String}) AND (parent_span_id = toFixedString('', 8))) OR ((name != {p1:String}) AND (kind = 'client')))
    GROUP BY c31
    HAVING ((countIf(((name != {p1:String}) AND (parent_span_id = toFixedString('', 8)))) > 0) AND (countIf(((name != {p1:String}) AND (kind = 'client'))) > 0))
  ))
  GROUP BY c30
)
ARRAY JOIN arrayMap(i -> c34[i], c28) AS c35
LIMIT 1001
-- p1 = "POST /pay"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
