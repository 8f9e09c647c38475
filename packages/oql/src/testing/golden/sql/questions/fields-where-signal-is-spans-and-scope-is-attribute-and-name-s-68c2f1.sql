-- fields | where signal == "spans" and scope == "attribute" and name startswith "order" | fields name, types, `rows`
SELECT c12 AS r1,
  if(empty(c39), c1, arrayMap((letters, vs) -> arrayMap(t -> if(t = 'number', if((NOT has(letters, 'f') AND arrayExists(v -> (((has(letters, 'n') OR has(letters, 'f')) AND match(v.1, '^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$')) OR (has(letters, 'f') AND match(v.1, '^(NaN|-?Infinity)$'))), vs) AND arrayAll(v -> NOT (((has(letters, 'n') OR has(letters, 'f')) AND match(v.1, '^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$')) OR (has(letters, 'f') AND match(v.1, '^(NaN|-?Infinity)$'))) OR match(v.1, '^-?[0-9]+$'), vs)), 'int', 'float'), t),
    arrayMap(found -> arraySort(t -> (-arraySum(v -> if(v.1 = t, toInt64(v.2), 0), found), t), arrayDistinct(arrayConcat(arrayMap(v -> v.1, found), arrayMap(l -> multiIf(l = 'b', 'bool', l = 'j', 'json', 'number'), letters)))),
      [arrayMap(v -> (multiIf(has(letters, 'b') AND v.1 IN ('true', 'false'), 'bool', has(letters, 'j') AND substring(v.1, 1, 1) IN ('[', '{'), 'json', (((has(letters, 'n') OR has(letters, 'f')) AND match(v.1, '^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$')) OR (has(letters, 'f') AND match(v.1, '^(NaN|-?Infinity)$'))), 'number', 'string'), v.2), vs)])[1]),
    [c39], [arrayFilter(v -> v.1 != '', c2)])[1]) AS r2,
  c13 AS r3
FROM (
  SELECT toString(name) AS c12,
    arraySort(groupUniqArray(type)) AS c1,
    approx_top_sumMerge(50, 150)(top) AS c2,
    sum(rows) AS c13,
    toString(if(signal = 'metrics', 'metric', toString(signal))) AS c10,
    toString(scope) AS c11
  FROM field_usage
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND bucket >= if(signal = 'metrics', toStartOfDay(fromUnixTimestamp64Nano({p3:Int64}, 'UTC')), toStartOfInterval(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'), toIntervalMinute(15)))
  AND bucket < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  GROUP BY c10,
    c11,
    c12
  HAVING ((c10 = {p5:String}) AND (c11 = {p6:String}) AND startsWith(lower(c12), lower({p7:String})))
) AS l
LEFT JOIN (
  SELECT groupUniqArray(splitByChar('\x01', c35)[2]) AS c39,
    c33 AS c36,
    c34 AS c37,
    splitByChar('\x01', c35)[1] AS c38
  FROM (
    SELECT 'spans' AS c33,
      'resource' AS c34,
      c17 AS c35
    FROM (
      SELECT toString(c15) AS c16
      FROM (
        SELECT resource_types AS c15
        FROM spans
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
        AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
        AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
        LIMIT 1000000
      )
      GROUP BY c16
    )
    ARRAY JOIN splitByChar('\0', c16) AS c17
    WHERE (splitByChar('\x01', c17)[2] != '')
    UNION ALL
    SELECT 'logs' AS c33,
      'resource' AS c34,
      c20 AS c35
    FROM (
      SELECT toString(c18) AS c19
      FROM (
        SELECT resource_types AS c18
        FROM logs
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
        AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
        AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
        LIMIT 1000000
      )
      GROUP BY c19
    )
    ARRAY JOIN splitByChar('\0', c19) AS c20
    WHERE (splitByChar('\x01', c20)[2] != '')
    UNION ALL
    SELECT 'metric' AS c33,
      'attribute' AS c34,
      c23 AS c35
    FROM (
      SELECT toString(c21) AS c22
      FROM (
        SELECT attribute_types AS c21
        FROM metric_series
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
        LIMIT 1000000
      )
      GROUP BY c22
    )
    ARRAY JOIN splitByChar('\0', c22) AS c23
    WHERE (splitByChar('\x01', c23)[2] != '')
    UNION ALL
    SELECT 'metric' AS c33,
      'resource' AS c34,
      c26 AS c35
    FROM (
      SELECT toString(c24) AS c25
      FROM (
        SELECT resource_types AS c24
        FROM metric_series
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
        LIMIT 1000000
      )
      GROUP BY c25
    )
    ARRAY JOIN splitByChar('\0', c25) AS c26
    WHERE (splitByChar('\x01', c26)[2] != '')
    UNION ALL
    SELECT 'profiles' AS c33,
      'attribute' AS c34,
      c29 AS c35
    FROM (
      SELECT toString(c27) AS c28
      FROM (
        SELECT attribute_types AS c27
        FROM profile_samples
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
        LIMIT 1000000
      )
      GROUP BY c28
    )
    ARRAY JOIN splitByChar('\0', c28) AS c29
    WHERE (splitByChar('\x01', c29)[2] != '')
    UNION ALL
    SELECT 'profiles' AS c33,
      'resource' AS c34,
      c32 AS c35
    FROM (
      SELECT toString(c30) AS c31
      FROM (
        SELECT resource_types AS c30
        FROM profile_samples
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
        LIMIT 1000000
      )
      GROUP BY c31
    )
    ARRAY JOIN splitByChar('\0', c31) AS c32
    WHERE (splitByChar('\x01', c32)[2] != '')
  )
  GROUP BY c36,
    c37,
    c38
) AS r ON c10 = c36
AND c11 = c37
AND c12 = c38
ORDER BY c12
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "spans"
-- p6 = "attribute"
-- p7 = "order"
