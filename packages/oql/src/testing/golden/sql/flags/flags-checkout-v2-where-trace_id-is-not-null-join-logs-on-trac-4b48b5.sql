-- flags "checkout-v2" | where trace_id != null | join logs on trace_id as l | where l.severity >= error | count
WITH toUInt64(round(sum(c35))) AS c45
SELECT c45 AS r1
FROM (
  SELECT evaluations AS c35,
    trace_id AS c28
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
  AND (NOT isNull(if(trace_id = toFixedString('', 16), NULL, lower(hex(trace_id)))))
) AS l
INNER JOIN (
  WITH if(severity = 0, 0, intDiv(severity - 1, 4) * 4 + 1) AS c44
  SELECT trace_id AS c41
  FROM logs
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND ((trace_id != toFixedString('', 16)) AND (trace_id IN (
    SELECT trace_id AS c42
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
    AND (NOT isNull(if(trace_id = toFixedString('', 16), NULL, lower(hex(trace_id)))))
  )))
  AND (c44 >= 17)
) AS r ON c28 = c41
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "checkout-v2"
