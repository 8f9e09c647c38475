-- metric requests | where route == "/a" | promrate 5m | sum by bucket(30m)
WITH toStartOfInterval(c90, toIntervalSecond(1800)) AS c131,
  ifNull(sum(coalesce(c127, c129)), 0.) AS c132
SELECT c131 AS r1,
  c132 AS r2
FROM (
  WITH argMax(toFloat64(c4), c81) AS c108,
    argMin(toFloat64(c4), c81) AS c107,
    sum(c82) AS c109,
    argMin(c82, c81) AS c110,
    ((c108 - c107) + (c109 - c110)) AS c123,
    max(c81) AS c106,
    min(c81) AS c105,
    ((c106 - c105) / 1e9) AS c122,
    c88 AS c91,
    count() AS c104,
    argMax(toFloat64(c5), c81) AS c112,
    argMin(toFloat64(c5), c81) AS c111,
    sum(c83) AS c113,
    argMin(c83, c81) AS c114,
    ((c112 - c111) + (c113 - c114)) AS c124,
    (if(c122 = 0, 1., (c122 + least(if(((c105 - (c91 - 300000000000)) / 1e9) >= (c122 / (c104 - 1)) * 1.1, (c122 / (c104 - 1)) / 2, ((c105 - (c91 - 300000000000)) / 1e9)), if(coalesce(c123, c124) > 0 AND coalesce(c107, c111) >= 0, c122 * (coalesce(c107, c111) / coalesce(c123, c124)), if(((c105 - (c91 - 300000000000)) / 1e9) >= (c122 / (c104 - 1)) * 1.1, (c122 / (c104 - 1)) / 2, ((c105 - (c91 - 300000000000)) / 1e9)))) + if(((c91 - c106) / 1e9) >= (c122 / (c104 - 1)) * 1.1, (c122 / (c104 - 1)) / 2, ((c91 - c106) / 1e9))) / c122) / 300) AS c126,
    argMax(toFloat64(c6), c81) AS c116,
    argMin(toFloat64(c6), c81) AS c115,
    sum(c84) AS c117,
    argMin(c84, c81) AS c118,
    ((c116 - c115) + (c117 - c118)) AS c125,
    c1 AS c89
  SELECT c87 AS c90,
    (c123 * c126) AS c127,
    (c125 * c126) AS c129
  FROM (
    WITH lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c79,
      lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c77,
      lagInFrame(c12) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c70,
      lagInFrame(c13) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c78,
      lagInFrame(c9) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c71,
      lagInFrame(c10) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c69,
      lagInFrame(c11) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c72,
      lagInFrame(c15) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c73,
      lagInFrame(c14) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c74,
      lagInFrame(c17) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c75,
      lagInFrame(c16) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c76,
      lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c80
    SELECT c4,
      toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) AS c81,
      if(((c46 = 'delta') OR ifNull(c4 < c79, false)), ifNull(toFloat64(c79), 0.), 0.) AS c82,
      c5,
      if(((c46 = 'delta') OR multiIf((ifNull(c5 < c77, false) OR ifNull(c12 < c70, false) OR ifNull(c13 < c78, false)), true, NOT (c71 = c9 AND length(c69) = length(c10)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayPushBack(arrayMap(n -> toFloat64(n), c69), toFloat64(c70)))), true, NOT (c72 >= c11), true, ((arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c73), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c74 + j - 1), c72 - c11) = c14 + i - 1, toFloat64(n), 0.), c73, arrayEnumerate(c73))), c15, arrayEnumerate(c15))) OR arraySum(arrayMap(n -> toFloat64(n), c15)) - arraySum(arrayMap((c, i) -> if(empty(c73), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c74 + j - 1), c72 - c11) = c14 + i - 1, toFloat64(n), 0.), c73, arrayEnumerate(c73))), c15, arrayEnumerate(c15))) < arraySum(arrayMap(n -> toFloat64(n), c73))) OR (arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c75), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c76 + j - 1), c72 - c11) = c16 + i - 1, toFloat64(n), 0.), c75, arrayEnumerate(c75))), c17, arrayEnumerate(c17))) OR arraySum(arrayMap(n -> toFloat64(n), c17)) - arraySum(arrayMap((c, i) -> if(empty(c75), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c76 + j - 1), c72 - c11) = c16 + i - 1, toFloat64(n), 0.), c75, arrayEnumerate(c75))), c17, arrayEnumerate(c17))) < arraySum(arrayMap(n -> toFloat64(n), c75)))))), ifNull(toFloat64(c77), 0.), 0.) AS c83,
      c6,
      if(((c46 = 'delta') OR multiIf((ifNull(c5 < c77, false) OR ifNull(c12 < c70, false) OR ifNull(c13 < c78, false)), true, NOT (c71 = c9 AND length(c69) = length(c10)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayPushBack(arrayMap(n -> toFloat64(n), c69), toFloat64(c70)))), true, NOT (c72 >= c11), true, ((arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c73), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c74 + j - 1), c72 - c11) = c14 + i - 1, toFloat64(n), 0.), c73, arrayEnumerate(c73))), c15, arrayEnumerate(c15))) OR arraySum(arrayMap(n -> toFloat64(n), c15)) - arraySum(arrayMap((c, i) -> if(empty(c73), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c74 + j - 1), c72 - c11) = c14 + i - 1, toFloat64(n), 0.), c73, arrayEnumerate(c73))), c15, arrayEnumerate(c15))) < arraySum(arrayMap(n -> toFloat64(n), c73))) OR (arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c75), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c76 + j - 1), c72 - c11) = c16 + i - 1, toFloat64(n), 0.), c75, arrayEnumerate(c75))), c17, arrayEnumerate(c17))) OR arraySum(arrayMap(n -> toFloat64(n), c17)) - arraySum(arrayMap((c, i) -> if(empty(c75), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c76 + j - 1), c72 - c11) = c16 + i - 1, toFloat64(n), 0.), c75, arrayEnumerate(c75))), c17, arrayEnumerate(c17))) < arraySum(arrayMap(n -> toFloat64(n), c75)))))), ifNull(toFloat64(c80), 0.), 0.) AS c84,
      c1
    FROM (
      SELECT c4,
        c2,
        c1,
        c5,
        c12,
        c13,
        c9,
        c10,
        c11,
        c15,
        c14,
        c17,
        c16,
        c6
      FROM (
        SELECT series AS c1,
          time AS c2,
          value AS c4,
          CAST(NULL, 'Nullable(UInt64)') AS c5,
          CAST(NULL, 'Nullable(Float64)') AS c6,
          CAST([], 'Array(Float64)') AS c9,
          CAST([], 'Array(UInt64)') AS c10,
          toInt8(0) AS c11,
          toUInt64(0) AS c12,
          0. AS c13,
          toInt32(0) AS c14,
          CAST([], 'Array(UInt64)') AS c15,
          toInt32(0) AS c16,
          CAST([], 'Array(UInt64)') AS c17
        FROM metric_points
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
        AND ((metric = {p5:String}) AND NOT no_recorded_value)
        AND (series IN (
          WITH any(attributes) AS c54,
            any(resource) AS c53
          SELECT series AS c42
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
          AND (metric = {p5:String})
          GROUP BY c42
          HAVING (if(mapContains(c54, {p8:String}), c54[{p8:String}], c53[{p8:String}]) = {p9:String})
        ))
        ORDER BY series,
          time,
          value DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
        UNION ALL
        SELECT series AS c1,
          time AS c2,
          CAST(NULL, 'Nullable(Float64)') AS c4,
          count AS c5,
          sum AS c6,
          bounds AS c9,
          bucket_counts AS c10,
          scale AS c11,
          zero_count AS c12,
          zero_threshold AS c13,
          positive_offset AS c14,
          positive_counts AS c15,
          negative_offset AS c16,
          negative_counts AS c17
        FROM metric_histograms
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
        AND ((metric = {p5:String}) AND NOT no_recorded_value)
        AND (series IN (
          WITH any(attributes) AS c54,
            any(resource) AS c53
          SELECT series AS c42
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
          AND (metric = {p5:String})
          GROUP BY c42
          HAVING (if(mapContains(c54, {p8:String}), c54[{p8:String}], c53[{p8:String}]) = {p9:String})
        ))
        ORDER BY series,
          time,
          count DESC,
          sum DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
      )
    ) AS l
    INNER JOIN (
      WITH any(attributes) AS c54,
        any(resource) AS c53
      SELECT any(temporality) AS c46,
        series AS c42
      FROM metric_series
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
      AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND (metric = {p5:String})
      GROUP BY c42
      HAVING (if(mapContains(c54, {p8:String}), c54[{p8:String}], c53[{p8:String}]) = {p9:String})
    ) AS r ON c1 = c42
  )
  ARRAY JOIN arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), arrayFilter(k -> (toInt64(k) * 1800000000000 >= 1795096800000000000 AND toInt64(k) * 1800000000000 < 1795100400000000000 AND c81 <= least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) AND c81 > least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) - 300000000000), range(toUInt64(intDiv(c81 - 1, 1800000000000)), toUInt64(intDiv(c81 - 1 + 300000000000, 1800000000000) + 1)))) AS c87,
    arrayMap(k -> least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000), arrayFilter(k -> (toInt64(k) * 1800000000000 >= 1795096800000000000 AND toInt64(k) * 1800000000000 < 1795100400000000000 AND c81 <= least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) AND c81 > least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) - 300000000000), range(toUInt64(intDiv(c81 - 1, 1800000000000)), toUInt64(intDiv(c81 - 1 + 300000000000, 1800000000000) + 1)))) AS c88
  GROUP BY c89,
    c90,
    c91
  HAVING (c104 > 1)
)
GROUP BY c131
ORDER BY c131
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795098300001"
-- p4 = "1795100400001"
-- p5 = "requests"
-- p6 = "1795098300000000001"
-- p7 = "1795100400000000001"
-- p8 = "route"
-- p9 = "/a"
