-- flags "checkout-v2" | where span.service.name == "frontend" and span.status == error | count
WITH toUInt64(round(sum(c35))) AS c43
SELECT c43 AS r1
FROM (
  SELECT evaluations AS c35,
    trace_id AS c28
  FROM flag_events
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND (flag = {p6:String} AND (source = 'otlp' OR NOT if(unit = '', (project, environment, version, toStartOfMinute(time)) IN (
    SELECT project AS c14,
      environment AS c15,
      version AS c16,
      arrayJoin([toStartOfMinute(time - toIntervalSecond(5)), toStartOfMinute(time + toIntervalSecond(5))]) AS c17
    FROM flag_events
    WHERE workspace = {p2:UInt32}
    AND project = {p3:UInt32}
    AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND (flag = {p6:String} AND source = 'otlp')
  ), (project, environment, version, unit) IN (
    SELECT project AS c24,
      environment AS c25,
      version AS c26,
      unit AS c27
    FROM flag_events
    WHERE workspace = {p2:UInt32}
    AND project = {p3:UInt32}
    AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND (flag = {p6:String} AND source = 'otlp')
  ))))
) AS l
LEFT JOIN (
  SELECT tupleElement(argMin(tuple(toNullable(service)), (parent_span_id != toFixedString('', 8), time)), 1) AS c40,
    tupleElement(argMin(tuple(toNullable(status)), (parent_span_id != toFixedString('', 8), time)), 1) AS c42,
    trace_id AS c32
  FROM spans
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND (trace_id IN (
    SELECT trace_id AS c33
    FROM flag_events
    WHERE workspace = {p2:UInt32}
    AND project = {p3:UInt32}
    AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND (flag = {p6:String} AND (source = 'otlp' OR NOT if(unit = '', (project, environment, version, toStartOfMinute(time)) IN (
      SELECT project AS c14,
        environment AS c15,
        version AS c16,
        arrayJoin([toStartOfMinute(time - toIntervalSecond(5)), toStartOfMinute(time + toIntervalSecond(5))]) AS c17
      FROM flag_events
      WHERE workspace = {p2:UInt32}
      AND project = {p3:UInt32}
      AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
      AND (flag = {p6:String} AND source = 'otlp')
    ), (project, environment, version, unit) IN (
      SELECT project AS c24,
        environment AS c25,
        version AS c26,
        unit AS c27
      FROM flag_events
      WHERE workspace = {p2:UInt32}
      AND project = {p3:UInt32}
      AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
      AND (flag = {p6:String} AND source = 'otlp')
    ))))
  ))
  GROUP BY c32
) AS r ON c28 = c32
WHERE (ifNull((c40 = {p1:String}), false) AND (c42 = 'error'))
LIMIT 1001
-- p1 = "frontend"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
-- p6 = "checkout-v2"
-- p7 = "1795096200000000000"
