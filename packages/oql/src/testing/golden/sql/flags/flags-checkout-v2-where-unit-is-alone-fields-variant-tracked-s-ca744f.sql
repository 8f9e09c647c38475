-- flags "checkout-v2" | where unit == "alone" | fields variant, tracked, source, trace_id, span.duration
SELECT nullIf(c36, '') AS r1,
  c38 AS r2,
  toString(c5) AS r3,
  if(c28 = toFixedString('', 16), NULL, lower(hex(c28))) AS r4,
  c40 AS r5
FROM (
  SELECT variant AS c36,
    tracked AS c38,
    source AS c5,
    trace_id AS c28,
    time AS c7
  FROM flag_events
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND (flag = {p5:String} AND (source = 'otlp' OR NOT if(unit = '', (project, environment, version, toStartOfMinute(time)) IN (
    SELECT project AS c14,
      environment AS c15,
      version AS c16,
      arrayJoin([toStartOfMinute(time - toIntervalSecond(5)), toStartOfMinute(time + toIntervalSecond(5))]) AS c17
    FROM flag_events
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND (flag = {p5:String} AND source = 'otlp')
  ), (project, environment, version, unit) IN (
    SELECT project AS c24,
      environment AS c25,
      version AS c26,
      unit AS c27
    FROM flag_events
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND (flag = {p5:String} AND source = 'otlp')
  ))))
  AND ifNull((nullIf(unit, '') = {p6:String}), false)
) AS l
LEFT JOIN (
  SELECT tupleElement(argMin(tuple(toNullable(duration)), (parent_span_id != toFixedString('', 8), time)), 1) AS c40,
    trace_id AS c32
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND (trace_id IN (
    SELECT trace_id AS c33
    FROM flag_events
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND (flag = {p5:String} AND (source = 'otlp' OR NOT if(unit = '', (project, environment, version, toStartOfMinute(time)) IN (
      SELECT project AS c14,
        environment AS c15,
        version AS c16,
        arrayJoin([toStartOfMinute(time - toIntervalSecond(5)), toStartOfMinute(time + toIntervalSecond(5))]) AS c17
      FROM flag_events
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
      AND (flag = {p5:String} AND source = 'otlp')
    ), (project, environment, version, unit) IN (
      SELECT project AS c24,
        environment AS c25,
        version AS c26,
        unit AS c27
      FROM flag_events
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
      AND (flag = {p5:String} AND source = 'otlp')
    ))))
  ))
  GROUP BY c32
) AS r ON c28 = c32
ORDER BY c7 DESC
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "checkout-v2"
-- p6 = "alone"
-- p7 = "1795096200000000000"
