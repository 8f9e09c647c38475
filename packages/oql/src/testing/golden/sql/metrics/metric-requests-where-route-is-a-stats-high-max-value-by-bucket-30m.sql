-- metric requests | where route == "/a" | stats high=max(value) by bucket(30m)
WITH toStartOfInterval(c2, toIntervalSecond(1800)) AS c209,
  arrayMap((n, h) -> multiIf(isNull(n), h, isNull(h), n, greatest(n, h)), [maxOrNull(c4)], [arrayMap((m, r, b) -> if(m = 0, r, b), [countIf((isNotNull(c5) AND isNull(c8)))], [maxOrNull(c8)], [arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 1 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c90)], [sumForEachMap(c91)], [NULL])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c210
SELECT c209 AS r1,
  c210 AS r2
FROM (
  SELECT time AS c2,
    value AS c4,
    CAST(NULL, 'Nullable(UInt64)') AS c5,
    CAST(NULL, 'Nullable(Float64)') AS c8,
    CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))') AS c90,
    CAST(map(), 'Map(UInt64, Array(Float64))') AS c91
  FROM metric_points
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
  AND ((metric = {p5:String}) AND NOT no_recorded_value)
  AND (series IN (
    SELECT series AS c46
    FROM metric_series
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
    AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
    AND (metric = {p5:String})
    AND (if(mapContains(attributes, {p8:String}), attributes[{p8:String}], resource[{p8:String}]) = {p9:String})
  ))
  AND (time >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC'))
  ORDER BY series,
    time,
    value DESC,
    start_time DESC
  LIMIT 1 BY series,
    time
  UNION ALL
  SELECT c2,
    c4,
    c5,
    c8,
    map(c104, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c9, if(c9[1] > 0, 0., -inf)), length(c10)), arrayResize(arrayPushBack(c9, inf), length(c10), inf)), [(-c99, c99, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c100 + i), c97), range(length(c101))), arrayMap(i -> (toFloat64((-1)), toFloat64(c102 + i), c97), range(length(c103))))) AS c90,
    map(c104, arrayConcat(multiIf((c154 OR ((c106 = 0) AND (c3 >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC'))) OR (NOT (c106 = 0) AND (c3 > c163 OR c5 < c164))), arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c98)), (c106 = 0), arrayMap(n -> 0., arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c98))), (c157 = c9 AND length(c155) = length(c10)), arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c98)), arrayPushBack(arrayMap(n -> toFloat64(n), c155), toFloat64(c156))), arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c98))), multiIf((c154 OR ((c106 = 0) AND (c3 >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC'))) OR (NOT (c106 = 0) AND (c3 > c163 OR c5 < c164))), arrayConcat(arrayMap(n -> toFloat64(n), c101), arrayMap(n -> toFloat64(n), c103)), (c106 = 0), arrayMap(n -> 0., arrayConcat(arrayMap(n -> toFloat64(n), c101), arrayMap(n -> toFloat64(n), c103))), (c158 >= c97), arrayConcat(arrayMap((c, i) -> if(empty(c159), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c160 + j - 1), c158 - c97) = c100 + i - 1, toFloat64(n), 0.), c159, arrayEnumerate(c159))), c101, arrayEnumerate(c101)), arrayMap((c, i) -> if(empty(c161), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c162 + j - 1), c158 - c97) = c102 + i - 1, toFloat64(n), 0.), c161, arrayEnumerate(c161))), c103, arrayEnumerate(c103))), arrayConcat(arrayMap(n -> toFloat64(n), c101), arrayMap(n -> toFloat64(n), c103))))) AS c91
  FROM (
    SELECT c2,
      c4,
      c5,
      c8,
      c104,
      c9,
      c10,
      c99,
      c100,
      c97,
      c101,
      c102,
      c103,
      c154,
      lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c106,
      c3,
      lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c163,
      lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c164,
      c98,
      lagInFrame(c9) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c157,
      lagInFrame(c10) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c155,
      lagInFrame(c98) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c156,
      lagInFrame(c97) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c158,
      lagInFrame(c101) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c159,
      lagInFrame(c100) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c160,
      lagInFrame(c103) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c161,
      lagInFrame(c102) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c162
    FROM (
      WITH scale AS c11,
        zero_count AS c12,
        zero_threshold AS c13,
        positive_offset AS c14,
        positive_counts AS c15,
        negative_offset AS c16,
        negative_counts AS c17,
        cityHash64(c9, length(c10)) AS c92,
        materialize(if(ifNull((
        SELECT max((kind = {p11:String})) AS c93
        FROM metric_series
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
        AND (metric = {p5:String})
      ), false), (c11, c12, c13, c14, c15, c16, c17, cityHash64(cityHash64(c9, length(c10)), c13, c11, c14, length(c15), c16, length(c17)), [toInt64(c92), toInt64(length(c10)), toInt64(c11), toInt64(c14), toInt64(length(c15)), toInt64(c16), toInt64(length(c17))]), (toInt8(0), toUInt64(0), 0., toInt32(0), CAST([], 'Array(UInt64)'), toInt32(0), CAST([], 'Array(UInt64)'), c92, CAST([], 'Array(Int64)')))) AS c96
      SELECT time AS c2,
        CAST(NULL, 'Nullable(Float64)') AS c4,
        count AS c5,
        max AS c8,
        tupleElement(c96, 8) AS c104,
        bounds AS c9,
        bucket_counts AS c10,
        tupleElement(c96, 3) AS c99,
        tupleElement(c96, 4) AS c100,
        tupleElement(c96, 1) AS c97,
        tupleElement(c96, 5) AS c101,
        tupleElement(c96, 6) AS c102,
        tupleElement(c96, 7) AS c103,
        materialize(if(ifNull((
        SELECT max((temporality = {p12:String})) AS c107
        FROM metric_series
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
        AND (metric = {p5:String})
      ), false), c1 IN (
        SELECT series AS c110
        FROM metric_series
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
        AND (metric = {p5:String})
        AND (temporality = 'delta')
        GROUP BY c110
      ), false)) AS c154,
        series AS c1,
        start_time AS c3,
        tupleElement(c96, 2) AS c98
      FROM metric_histograms
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
      AND ((metric = {p5:String}) AND NOT no_recorded_value)
      AND (series IN (
        SELECT series AS c46
        FROM metric_series
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
        AND (metric = {p5:String})
        AND (if(mapContains(attributes, {p8:String}), attributes[{p8:String}], resource[{p8:String}]) = {p9:String})
      ))
      ORDER BY series,
        time,
        count DESC,
        sum DESC,
        start_time DESC
      LIMIT 1 BY series,
        time
    )
  )
  WHERE (c2 >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC'))
)
GROUP BY c209
ORDER BY c209
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096200000"
-- p4 = "1795100400000"
-- p5 = "requests"
-- p6 = "1795096200000000000"
-- p7 = "1795100400000000000"
-- p8 = "route"
-- p9 = "/a"
-- p10 = "1795096800000000000"
-- p11 = "exponential_histogram"
-- p12 = "delta"
