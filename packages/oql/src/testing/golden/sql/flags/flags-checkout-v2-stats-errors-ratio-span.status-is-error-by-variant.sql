-- flags "checkout-v2" | stats errors=ratio(span.status == error) by variant
WITH nullIf(c36, '') AS c39,
  (sumIf(c35, (c41 = 'error')) / nullIf(sum(c35), 0)) AS c42
SELECT c39 AS r1,
  c42 AS r2
FROM (
  SELECT variant AS c36,
    evaluations AS c35,
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
) AS l
LEFT JOIN (
  SELECT tupleElement(argMin(tuple(toNullable(status)), (parent_span_id != toFixedString('', 8), time)), 1) AS c41,
    trace_id AS c32
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
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
GROUP BY c39
ORDER BY c39
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "checkout-v2"
-- p6 = "1795096200000000000"
