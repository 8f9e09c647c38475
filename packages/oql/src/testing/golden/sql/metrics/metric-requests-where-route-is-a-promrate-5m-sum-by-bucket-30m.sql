-- metric requests | where route == "/a" | promrate 5m | sum by bucket(30m)
WITH toStartOfInterval(c94, toIntervalSecond(1800)) AS c135,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(coalesce(c131, c133))], [sumOrNull(coalesce(c131, c133))])[1], 0.) AS c136
SELECT c135 AS r1,
  c136 AS r2
FROM (
  WITH argMax(toFloat64(c4), c85) AS c112,
    argMin(toFloat64(c4), c85) AS c111,
    sum(c86) AS c113,
    argMin(c86, c85) AS c114,
    ((c112 - c111) + (c113 - c114)) AS c127,
    max(c85) AS c110,
    min(c85) AS c109,
    ((c110 - c109) / 1e9) AS c126,
    c92 AS c95,
    count() AS c108,
    argMax(toFloat64(c5), c85) AS c116,
    argMin(toFloat64(c5), c85) AS c115,
    sum(c87) AS c117,
    argMin(c87, c85) AS c118,
    ((c116 - c115) + (c117 - c118)) AS c128,
    (if(c126 = 0, 1., (c126 + least(if(((c109 - (c95 - 300000000000)) / 1e9) >= (c126 / (c108 - 1)) * 1.1, (c126 / (c108 - 1)) / 2, ((c109 - (c95 - 300000000000)) / 1e9)), if(coalesce(c127, c128) > 0 AND coalesce(c111, c115) >= 0, c126 * (coalesce(c111, c115) / coalesce(c127, c128)), if(((c109 - (c95 - 300000000000)) / 1e9) >= (c126 / (c108 - 1)) * 1.1, (c126 / (c108 - 1)) / 2, ((c109 - (c95 - 300000000000)) / 1e9)))) + if(((c95 - c110) / 1e9) >= (c126 / (c108 - 1)) * 1.1, (c126 / (c108 - 1)) / 2, ((c95 - c110) / 1e9))) / c126) / 300) AS c130,
    argMax(toFloat64(c6), c85) AS c120,
    argMin(toFloat64(c6), c85) AS c119,
    sum(c88) AS c121,
    argMin(c88, c85) AS c122,
    ((c120 - c119) + (c121 - c122)) AS c129,
    c1 AS c93
  SELECT c91 AS c94,
    (c127 * c130) AS c131,
    (c129 * c130) AS c133
  FROM (
    WITH lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c83,
      lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c81,
      lagInFrame(c12) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c74,
      lagInFrame(c13) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c82,
      lagInFrame(c9) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c75,
      lagInFrame(c10) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c73,
      lagInFrame(c11) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c76,
      lagInFrame(c15) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c77,
      lagInFrame(c14) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c78,
      lagInFrame(c17) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c79,
      lagInFrame(c16) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c80,
      lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c84
    SELECT c4,
      toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) AS c85,
      if(((c50 = 'delta') OR ifNull(c4 < c83, false)), ifNull(toFloat64(c83), 0.), 0.) AS c86,
      c5,
      if(((c50 = 'delta') OR multiIf((ifNull(c5 < c81, false) OR ifNull(c12 < c74, false) OR ifNull(c13 < c82, false)), true, NOT (c75 = c9 AND length(c73) = length(c10)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayPushBack(arrayMap(n -> toFloat64(n), c73), toFloat64(c74)))), true, NOT (c76 >= c11), true, ((arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c77), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c78 + j - 1), c76 - c11) = c14 + i - 1, toFloat64(n), 0.), c77, arrayEnumerate(c77))), c15, arrayEnumerate(c15))) OR arraySum(arrayMap(n -> toFloat64(n), c15)) - arraySum(arrayMap((c, i) -> if(empty(c77), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c78 + j - 1), c76 - c11) = c14 + i - 1, toFloat64(n), 0.), c77, arrayEnumerate(c77))), c15, arrayEnumerate(c15))) < arraySum(arrayMap(n -> toFloat64(n), c77))) OR (arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c79), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c80 + j - 1), c76 - c11) = c16 + i - 1, toFloat64(n), 0.), c79, arrayEnumerate(c79))), c17, arrayEnumerate(c17))) OR arraySum(arrayMap(n -> toFloat64(n), c17)) - arraySum(arrayMap((c, i) -> if(empty(c79), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c80 + j - 1), c76 - c11) = c16 + i - 1, toFloat64(n), 0.), c79, arrayEnumerate(c79))), c17, arrayEnumerate(c17))) < arraySum(arrayMap(n -> toFloat64(n), c79)))))), ifNull(toFloat64(c81), 0.), 0.) AS c87,
      c6,
      if(((c50 = 'delta') OR multiIf((ifNull(c5 < c81, false) OR ifNull(c12 < c74, false) OR ifNull(c13 < c82, false)), true, NOT (c75 = c9 AND length(c73) = length(c10)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayPushBack(arrayMap(n -> toFloat64(n), c73), toFloat64(c74)))), true, NOT (c76 >= c11), true, ((arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c77), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c78 + j - 1), c76 - c11) = c14 + i - 1, toFloat64(n), 0.), c77, arrayEnumerate(c77))), c15, arrayEnumerate(c15))) OR arraySum(arrayMap(n -> toFloat64(n), c15)) - arraySum(arrayMap((c, i) -> if(empty(c77), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c78 + j - 1), c76 - c11) = c14 + i - 1, toFloat64(n), 0.), c77, arrayEnumerate(c77))), c15, arrayEnumerate(c15))) < arraySum(arrayMap(n -> toFloat64(n), c77))) OR (arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c79), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c80 + j - 1), c76 - c11) = c16 + i - 1, toFloat64(n), 0.), c79, arrayEnumerate(c79))), c17, arrayEnumerate(c17))) OR arraySum(arrayMap(n -> toFloat64(n), c17)) - arraySum(arrayMap((c, i) -> if(empty(c79), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c80 + j - 1), c76 - c11) = c16 + i - 1, toFloat64(n), 0.), c79, arrayEnumerate(c79))), c17, arrayEnumerate(c17))) < arraySum(arrayMap(n -> toFloat64(n), c79)))))), ifNull(toFloat64(c84), 0.), 0.) AS c88,
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
          WITH any(attributes) AS c58,
            any(resource) AS c57
          SELECT series AS c46
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
          AND (metric = {p5:String})
          GROUP BY c46
          HAVING (if(mapContains(c58, {p8:String}), c58[{p8:String}], c57[{p8:String}]) = {p9:String})
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
          WITH any(attributes) AS c58,
            any(resource) AS c57
          SELECT series AS c46
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
          AND (metric = {p5:String})
          GROUP BY c46
          HAVING (if(mapContains(c58, {p8:String}), c58[{p8:String}], c57[{p8:String}]) = {p9:String})
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
      WITH any(attributes) AS c58,
        any(resource) AS c57
      SELECT any(temporality) AS c50,
        series AS c46
      FROM metric_series
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
      AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND (metric = {p5:String})
      GROUP BY c46
      HAVING (if(mapContains(c58, {p8:String}), c58[{p8:String}], c57[{p8:String}]) = {p9:String})
    ) AS r ON c1 = c46
  )
  ARRAY JOIN arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), arrayFilter(k -> (toInt64(k) * 1800000000000 >= 1795096800000000000 AND toInt64(k) * 1800000000000 < 1795100400000000000 AND c85 <= least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) AND c85 > least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) - 300000000000), range(toUInt64(intDiv(c85 - 1, 1800000000000)), toUInt64(intDiv(c85 - 1 + 300000000000, 1800000000000) + 1)))) AS c91,
    arrayMap(k -> least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000), arrayFilter(k -> (toInt64(k) * 1800000000000 >= 1795096800000000000 AND toInt64(k) * 1800000000000 < 1795100400000000000 AND c85 <= least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) AND c85 > least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) - 300000000000), range(toUInt64(intDiv(c85 - 1, 1800000000000)), toUInt64(intDiv(c85 - 1 + 300000000000, 1800000000000) + 1)))) AS c92
  GROUP BY c93,
    c94,
    c95
  HAVING (c108 > 1)
)
GROUP BY c135
ORDER BY c135
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
