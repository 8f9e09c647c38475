-- metric requests | rate 5m | where value > 0.1 | max by service.name, bucket(30m)
WITH c216 AS c234,
  toStartOfInterval(c201, toIntervalSecond(1800)) AS c235,
  arrayMap((n, h) -> multiIf(isNull(n), h, isNull(h), n, greatest(n, h)), [maxOrNull(c202)], [arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 1 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c206)], [sumForEachMap(c207)], [NULL])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c236
SELECT c234 AS r1,
  c235 AS r2,
  c236 AS r3
FROM (
  SELECT c201,
    c202,
    c206,
    c207,
    c200
  FROM (
    WITH c1 AS c103,
      c72 AS c104,
      sumOrNull(c71) AS c105
    SELECT c103 AS c200,
      toDateTime64(c104, 9, 'UTC') AS c201,
      (c105 / 300) AS c202,
      CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))') AS c206,
      CAST(map(), 'Map(UInt64, Array(Float64))') AS c207
    FROM (
      SELECT c1,
        c71,
        c2
      FROM (
        WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c68,
          lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c70,
          lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c69
        SELECT c1,
          if(c102, toFloat64(c4), if((c68 = 0), if((c3 >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC')), toFloat64(c4), toFloat64(c4) * 0), if((c3 > c70) OR (c4 < c69), toFloat64(c4), toFloat64(c4) - c69))) AS c71,
          c2
        FROM (
          SELECT series AS c1,
            materialize(if(ifNull((
            SELECT max((temporality = {p3:String})) AS c73
            FROM metric_series
            WHERE workspace = {p4:UInt32}
            AND project = {p5:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
            AND (metric = {p8:String})
          ), false), c1 IN (
            WITH any(temporality) AS c80
            SELECT series AS c76
            FROM metric_series
            WHERE workspace = {p4:UInt32}
            AND project = {p5:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
            AND (metric = {p8:String})
            GROUP BY c76
            HAVING (c80 = 'delta')
          ), false)) AS c102,
            value AS c4,
            time AS c2,
            start_time AS c3
          FROM metric_points
          WHERE workspace = {p4:UInt32}
          AND project = {p5:UInt32}
          AND time >= fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
          AND time < fromUnixTimestamp64Milli({p10:Int64}, 'UTC')
          AND ((metric = {p8:String}) AND NOT no_recorded_value)
          ORDER BY series,
            time,
            value DESC,
            start_time DESC
          LIMIT 1 BY series,
            time
        )
      )
      WHERE (c2 >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC'))
    )
    ARRAY JOIN arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))) AS c72
    GROUP BY c103,
      c104
    HAVING ifNull(((c105 / 300) > {p1:Float64}), false)
    UNION ALL WITH c170 AS c193,
      c171 AS c194,
      anyMap(map(c192, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c187, if(c187[1] > 0, 0., -inf)), c175), arrayResize(arrayPushBack(c187, inf), c175, inf)), [(-c188, c188, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c190 + i), c189), range(c178)), arrayMap(i -> (toFloat64((-1)), toFloat64(c191 + i), c189), range(c181))))) AS c197,
      sumForEachMap(map(c192, arrayConcat(arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c176, c175, 0), arrayResize(c177, c175, 0)), [toFloat64(toInt64(c184 - c185))], arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c179, c178, 0), arrayResize(c180, c178, 0)), arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c182, c181, 0), arrayResize(c183, c181, 0))))) AS c198,
      sumForEachMap(c186) AS c199
    SELECT c193 AS c200,
      toDateTime64(c194, 9, 'UTC') AS c201,
      CAST(NULL, 'Nullable(Float64)') AS c202,
      c197 AS c206,
      mapFromArrays(mapKeys(c198), arrayMap((k, c) -> arrayMap((a, b) -> a + b, c, arrayResize(c199[k], length(c), 0)), mapKeys(c198), mapValues(c198))) AS c207
    FROM (
      SELECT c1 AS c170,
        c165 AS c171,
        c119 AS c192,
        any(c9) AS c187,
        any(length(c10)) AS c175,
        any(c114) AS c188,
        any(c115) AS c190,
        any(c112) AS c189,
        any(length(c116)) AS c178,
        any(c117) AS c191,
        any(length(c118)) AS c181,
        sumForEachIf(c10, ((c166 AND c158) AND NOT (c167 AND c163 = c119))) AS c176,
        sumForEachIf(c10, ((c167 AND c163 = c119) AND NOT (c166 AND c158))) AS c177,
        sumIf(c113, ((c166 AND c158) AND NOT (c167 AND c163 = c119))) AS c184,
        sumIf(c113, ((c167 AND c163 = c119) AND NOT (c166 AND c158))) AS c185,
        sumForEachIf(c116, ((c166 AND c158) AND NOT (c167 AND c163 = c119))) AS c179,
        sumForEachIf(c116, ((c167 AND c163 = c119) AND NOT (c166 AND c158))) AS c180,
        sumForEachIf(c118, ((c166 AND c158) AND NOT (c167 AND c163 = c119))) AS c182,
        sumForEachIf(c118, ((c167 AND c163 = c119) AND NOT (c166 AND c158))) AS c183,
        sumForEachMapIf(if((notEmpty(c164) AND c163 != c119), map(c163, arrayConcat(if((c164[1] = toInt64(c107)), arrayMap(n -> -toFloat64(n), c10), arrayWithConstant(c164[2], 0.)), [if((c164[1] = toInt64(c107)), -toFloat64(c113), 0.)], if(c112 >= c164[3] AND notEmpty(c116), arrayMap(i -> -arraySum((n, j) -> if(bitShiftRight(toInt32(c115 + j - 1), greatest(c112 - c164[3], 0)) = c164[4] + i, toFloat64(n), 0.), c116, arrayEnumerate(c116)), range(toUInt64(c164[5]))), arrayWithConstant(c164[5], 0.)), if(c112 >= c164[3] AND notEmpty(c118), arrayMap(i -> -arraySum((n, j) -> if(bitShiftRight(toInt32(c117 + j - 1), greatest(c112 - c164[3], 0)) = c164[6] + i, toFloat64(n), 0.), c118, arrayEnumerate(c118)), range(toUInt64(c164[7]))), arrayWithConstant(c164[7], 0.)))), CAST(map(), 'Map(UInt64, Array(Float64))')), (c167 AND (notEmpty(c164) AND c163 != c119))) AS c186
      FROM (
        WITH (c2 >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC')) AS c157,
          lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c121,
          leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c159,
          leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c160,
          leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c161,
          (c159 >= c2 AND (c159 >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC'))  AND NOT c151 AND NOT c160 > c3 AND NOT c161 < c5) AS c162
        SELECT c1,
          c119,
          c9,
          c10,
          c114,
          c115,
          c112,
          c116,
          c117,
          c118,
          (c157 AND (NOT (c121 = 0) OR c151 OR (c3 >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC')))) AS c158,
          leadInFrame(c119) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c163,
          c113,
          leadInFrame(c120) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c164,
          c107,
          if(c157, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c168,
          if(c162, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c159, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c159, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c169
        FROM (
          WITH scale AS c11,
            zero_count AS c12,
            zero_threshold AS c13,
            positive_offset AS c14,
            positive_counts AS c15,
            negative_offset AS c16,
            negative_counts AS c17,
            materialize(if(ifNull((
            SELECT max((kind = {p11:String})) AS c108
            FROM metric_series
            WHERE workspace = {p4:UInt32}
            AND project = {p5:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
            AND (metric = {p8:String})
          ), false), (c11, c12, c13, c14, c15, c16, c17, cityHash64(cityHash64(c9, length(c10)), c13, c11, c14, length(c15), c16, length(c17)), [toInt64(c107), toInt64(length(c10)), toInt64(c11), toInt64(c14), toInt64(length(c15)), toInt64(c16), toInt64(length(c17))]), (toInt8(0), toUInt64(0), 0., toInt32(0), CAST([], 'Array(UInt64)'), toInt32(0), CAST([], 'Array(UInt64)'), c107, CAST([], 'Array(Int64)')))) AS c111
          SELECT series AS c1,
            tupleElement(c111, 8) AS c119,
            bounds AS c9,
            bucket_counts AS c10,
            tupleElement(c111, 3) AS c114,
            tupleElement(c111, 4) AS c115,
            tupleElement(c111, 1) AS c112,
            tupleElement(c111, 5) AS c116,
            tupleElement(c111, 6) AS c117,
            tupleElement(c111, 7) AS c118,
            time AS c2,
            materialize(if(ifNull((
            SELECT max((temporality = {p3:String})) AS c122
            FROM metric_series
            WHERE workspace = {p4:UInt32}
            AND project = {p5:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
            AND (metric = {p8:String})
          ), false), c1 IN (
            WITH any(temporality) AS c129
            SELECT series AS c125
            FROM metric_series
            WHERE workspace = {p4:UInt32}
            AND project = {p5:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
            AND (metric = {p8:String})
            GROUP BY c125
            HAVING (c129 = 'delta')
          ), false)) AS c151,
            start_time AS c3,
            tupleElement(c111, 2) AS c113,
            tupleElement(c111, 9) AS c120,
            cityHash64(c9, length(c10)) AS c107,
            count AS c5
          FROM metric_histograms
          WHERE workspace = {p4:UInt32}
          AND project = {p5:UInt32}
          AND time >= fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
          AND time < fromUnixTimestamp64Milli({p10:Int64}, 'UTC')
          AND ((metric = {p8:String}) AND NOT no_recorded_value)
          ORDER BY series,
            time,
            count DESC,
            sum DESC,
            start_time DESC
          LIMIT 1 BY series,
            time
        )
      )
      ARRAY JOIN arrayDistinct(arrayConcat(c168, c169)) AS c165,
        arrayMap(b -> has(c168, b), arrayDistinct(arrayConcat(c168, c169))) AS c166,
        arrayMap(b -> has(c169, b), arrayDistinct(arrayConcat(c168, c169))) AS c167
      WHERE (c166 OR c167)
      GROUP BY c170,
        c171,
        c192
    )
    GROUP BY c193,
      c194
    HAVING ifNull((CAST(NULL, 'Nullable(Float64)') > {p1:Float64}), false)
  )
) AS l
INNER JOIN (
  SELECT any(service) AS c216,
    series AS c208
  FROM metric_series
  WHERE workspace = {p4:UInt32}
  AND project = {p5:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
  AND (metric = {p8:String})
  GROUP BY c208
) AS r ON c200 = c208
GROUP BY c234,
  c235
ORDER BY c235,
  c234
LIMIT 1001
-- p1 = 0.1
-- p2 = "1795096800000000000"
-- p3 = "delta"
-- p4 = 7
-- p5 = 1
-- p6 = "1795096200000000000"
-- p7 = "1795100400000000000"
-- p8 = "requests"
-- p9 = "1795096200000"
-- p10 = "1795100400000"
-- p11 = "exponential_histogram"
