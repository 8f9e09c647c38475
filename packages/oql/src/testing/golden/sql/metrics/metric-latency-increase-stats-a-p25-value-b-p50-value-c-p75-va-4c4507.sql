-- metric latency | increase | stats a=p25(value), b=p50(value), c=p75(value), d=p99(value), n=sum(count), mean=sum(sum) / sum(count)
WITH arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.25 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c271)], [sumForEachMap(c272)], [quantileExactInclusiveOrNull(0.25)(c267)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c317,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.5 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c271)], [sumForEachMap(c272)], [quantileExactInclusiveOrNull(0.5)(c267)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c318,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.75 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c271)], [sumForEachMap(c272)], [quantileExactInclusiveOrNull(0.75)(c267)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c319,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.99 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c271)], [sumForEachMap(c272)], [quantileExactInclusiveOrNull(0.99)(c267)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c320,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(c269)], [sumOrNull(c269)])[1], 0.) AS c321,
  (ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(c270)], [sumOrNull(c270)])[1], 0.) / nullIf(ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(c269)], [sumOrNull(c269)])[1], 0.), 0)) AS c322
SELECT c317 AS r1,
  c318 AS r2,
  c319 AS r3,
  c320 AS r4,
  c321 AS r5,
  c322 AS r6
FROM (
  WITH arrayPushFront(arrayPopFront(c149), c149[1] + if(c146, 0., c97[1] * (c98[1] >= 1795096800000))) AS c151
  SELECT c153 AS c267,
    CAST(NULL, 'Nullable(Float64)') AS c269,
    CAST(NULL, 'Nullable(Float64)') AS c270,
    CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))') AS c271,
    CAST(map(), 'Map(UInt64, Array(Float64))') AS c272
  FROM (
    SELECT arrayCompact(c148) AS c150,
      arrayMap(c -> arraySum(c), arraySplit((x, y) -> y != 0, c147, arrayDifference(c148))) AS c149,
      c146,
      c97,
      c98
    FROM (
      SELECT arrayMap(t -> if(t < 1795096800000, -1, 0), c96) AS c148,
        if(c146, c97, arrayMap((d, v, s) -> if(d < 0 OR s > 0, v, d), arrayDifference(c97), c97, arrayDifference(c98))) AS c147,
        materialize(if(ifNull((
        SELECT max((temporality = {p1:String})) AS c99
        FROM metric_series
        WHERE workspace = {p2:UInt32}
        AND project = {p3:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND (metric = {p6:String})
      ), false), c90 IN (
        SELECT series AS c102
        FROM metric_series
        WHERE workspace = {p2:UInt32}
        AND project = {p3:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND (metric = {p6:String})
        AND (temporality = 'delta')
        GROUP BY c102
      ), false)) AS c146,
        c97,
        c98
      FROM (
        SELECT if(c94, tupleElement(c95, 1), c91) AS c96,
          c90,
          if(c94, tupleElement(c95, 2), c92) AS c97,
          if(c94, tupleElement(c95, 3), c93) AS c98
        FROM (
          SELECT (arrayMin(arrayPopFront(arrayDifference(c91))) <= 0) AS c94,
            if(c94, arrayReverse(arrayCompact(p -> p.1, arrayReverseSort(arrayZip(c91, c92, c93)))), []) AS c95,
            c91,
            c90,
            c92,
            c93
          FROM (
            SELECT groupArray(toUnixTimestamp64Milli(c2)) AS c91,
              groupArray(c4) AS c92,
              groupArray(toUnixTimestamp64Milli(c3)) AS c93,
              c1 AS c90
            FROM (
              SELECT time AS c2,
                value AS c4,
                start_time AS c3,
                series AS c1
              FROM metric_points
              WHERE workspace = {p2:UInt32}
              AND project = {p3:UInt32}
              AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
              AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
              AND ((metric = {p6:String}) AND NOT no_recorded_value)
              ORDER BY series,
                time
            )
            GROUP BY c90
          )
        )
      )
    )
  )
  ARRAY JOIN c150 AS c152,
    c151 AS c153
  WHERE (c152 >= 0)
  UNION ALL WITH sumOrNull(c237) AS c260,
    sumOrNull(c238) AS c261,
    anyMap(map(c257, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c252, if(c252[1] > 0, 0., -inf)), c240), arrayResize(arrayPushBack(c252, inf), c240, inf)), [(-c253, c253, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c255 + i), c254), range(c243)), arrayMap(i -> (toFloat64((-1)), toFloat64(c256 + i), c254), range(c246))))) AS c262,
    sumForEachMap(map(c257, arrayConcat(arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c241, c240, 0), arrayResize(c242, c240, 0)), [toFloat64(toInt64(c249 - c250))], arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c244, c243, 0), arrayResize(c245, c243, 0)), arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c247, c246, 0), arrayResize(c248, c246, 0))))) AS c263,
    sumForEachMap(c251) AS c264,
    c235 AS c258,
    c236 AS c259
  SELECT CAST(NULL, 'Nullable(Float64)') AS c267,
    c260 AS c269,
    c261 AS c270,
    c262 AS c271,
    mapFromArrays(mapKeys(c263), arrayMap((k, c) -> arrayMap((a, b) -> a + b, c, arrayResize(c264[k], length(c), 0)), mapKeys(c263), mapValues(c263))) AS c272
  FROM (
    WITH max((c233 OR c234)) AS c239
    SELECT sumOrNullIf(c221, c233) AS c237,
      sumOrNullIf(c223, c233) AS c238,
      c168 AS c257,
      any(c9) AS c252,
      any(length(c10)) AS c240,
      any(c163) AS c253,
      any(c164) AS c255,
      any(c161) AS c254,
      any(length(c165)) AS c243,
      any(c166) AS c256,
      any(length(c167)) AS c246,
      sumForEachIf(c10, ((c233 AND c225) AND NOT (c234 AND c230 = c168))) AS c241,
      sumForEachIf(c10, ((c234 AND c230 = c168) AND NOT (c233 AND c225))) AS c242,
      sumIf(c162, ((c233 AND c225) AND NOT (c234 AND c230 = c168))) AS c249,
      sumIf(c162, ((c234 AND c230 = c168) AND NOT (c233 AND c225))) AS c250,
      sumForEachIf(c165, ((c233 AND c225) AND NOT (c234 AND c230 = c168))) AS c244,
      sumForEachIf(c165, ((c234 AND c230 = c168) AND NOT (c233 AND c225))) AS c245,
      sumForEachIf(c167, ((c233 AND c225) AND NOT (c234 AND c230 = c168))) AS c247,
      sumForEachIf(c167, ((c234 AND c230 = c168) AND NOT (c233 AND c225))) AS c248,
      sumForEachMapIf(if((notEmpty(c231) AND c230 != c168), map(c230, arrayConcat(if((c231[1] = toInt64(c156)), arrayMap(n -> -toFloat64(n), c10), arrayWithConstant(c231[2], 0.)), [if((c231[1] = toInt64(c156)), -toFloat64(c162), 0.)], if(c161 >= c231[3] AND notEmpty(c165), arrayMap(i -> -arraySum((n, j) -> if(bitShiftRight(toInt32(c164 + j - 1), greatest(c161 - c231[3], 0)) = c231[4] + i, toFloat64(n), 0.), c165, arrayEnumerate(c165)), range(toUInt64(c231[5]))), arrayWithConstant(c231[5], 0.)), if(c161 >= c231[3] AND notEmpty(c167), arrayMap(i -> -arraySum((n, j) -> if(bitShiftRight(toInt32(c166 + j - 1), greatest(c161 - c231[3], 0)) = c231[6] + i, toFloat64(n), 0.), c167, arrayEnumerate(c167)), range(toUInt64(c231[7]))), arrayWithConstant(c231[7], 0.)))), CAST(map(), 'Map(UInt64, Array(Float64))')), (c234 AND (notEmpty(c231) AND c230 != c168))) AS c251,
      c1 AS c235,
      c232 AS c236
    FROM (
      WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c170,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c219,
        lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c220,
        (c2 >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC')) AS c224,
        lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c222,
        leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c226,
        leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c227,
        leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c228,
        (c226 >= c2 AND (c226 >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))  AND NOT c218 AND NOT c227 > c3 AND NOT c228 < c5) AS c229
      SELECT if(c218, toFloat64(c5), if((c170 = 0), if((c3 >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC')), toFloat64(c5), toFloat64(c5) * 0), if((c3 > c219) OR (c5 < c220), toFloat64(c5), toFloat64(c5) - c220))) AS c221,
        c224 AS c233,
        if(c218, toFloat64(c6), if((c170 = 0), if((c3 >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC')), toFloat64(c6), toFloat64(c6) * 0), if((c3 > c219) OR (c5 < c220), toFloat64(c6), toFloat64(c6) - c222))) AS c223,
        c168,
        c9,
        c10,
        c163,
        c164,
        c161,
        c165,
        c166,
        c167,
        (c224 AND (NOT (c170 = 0) OR c218 OR (c3 >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC')))) AS c225,
        c229 AS c234,
        leadInFrame(c168) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c230,
        c162,
        leadInFrame(c169) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c231,
        c156,
        c1,
        fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c232
      FROM (
        WITH scale AS c11,
          zero_count AS c12,
          zero_threshold AS c13,
          positive_offset AS c14,
          positive_counts AS c15,
          negative_offset AS c16,
          negative_counts AS c17,
          materialize(if(ifNull((
          SELECT max((kind = {p10:String})) AS c157
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
        ), false), (c11, c12, c13, c14, c15, c16, c17, cityHash64(cityHash64(c9, length(c10)), c13, c11, c14, length(c15), c16, length(c17)), [toInt64(c156), toInt64(length(c10)), toInt64(c11), toInt64(c14), toInt64(length(c15)), toInt64(c16), toInt64(length(c17))]), (toInt8(0), toUInt64(0), 0., toInt32(0), CAST([], 'Array(UInt64)'), toInt32(0), CAST([], 'Array(UInt64)'), c156, CAST([], 'Array(Int64)')))) AS c160
        SELECT materialize(if(ifNull((
          SELECT max((temporality = {p1:String})) AS c171
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
        ), false), c1 IN (
          SELECT series AS c174
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
          AND (temporality = 'delta')
          GROUP BY c174
        ), false)) AS c218,
          count AS c5,
          series AS c1,
          time AS c2,
          start_time AS c3,
          sum AS c6,
          tupleElement(c160, 8) AS c168,
          bounds AS c9,
          bucket_counts AS c10,
          tupleElement(c160, 3) AS c163,
          tupleElement(c160, 4) AS c164,
          tupleElement(c160, 1) AS c161,
          tupleElement(c160, 5) AS c165,
          tupleElement(c160, 6) AS c166,
          tupleElement(c160, 7) AS c167,
          tupleElement(c160, 2) AS c162,
          tupleElement(c160, 9) AS c169,
          cityHash64(c9, length(c10)) AS c156
        FROM metric_histograms
        WHERE workspace = {p2:UInt32}
        AND project = {p3:UInt32}
        AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
        AND ((metric = {p6:String}) AND NOT no_recorded_value)
        ORDER BY series,
          time,
          count DESC,
          sum DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
      )
    )
    GROUP BY c235,
      c236,
      c257
    HAVING c239
  )
  GROUP BY c258,
    c259
)
LIMIT 1001
-- p1 = "delta"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096200000000000"
-- p5 = "1795100400000000000"
-- p6 = "latency"
-- p7 = "1795096200000"
-- p8 = "1795100400000"
-- p9 = "1795096800000000000"
-- p10 = "exponential_histogram"
