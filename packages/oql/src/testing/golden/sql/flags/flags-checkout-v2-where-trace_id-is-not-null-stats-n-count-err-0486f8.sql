-- flags "checkout-v2" | where trace_id != null | stats n=count(), errors=ratio(span.status == error), slow=max(span.duration), code=max(span.http.response.status_code) by variant
WITH nullIf(c36, '') AS c39,
  toUInt64(round(sum(c35))) AS c40,
  (sumIf(c35, (c42 = 'error')) / nullIf(sum(c35), 0)) AS c43,
  maxOrNull(c45) AS c46,
  coalesce(argMaxOrNullIf(c56, (assumeNotNull(if(substring(c56, 1, 1) IN ('n', 'f'), toFloat64OrNull(substring(c56, 2)), NULL)), ifNull(if(substring(c56, 1, 1) IN ('n'), toInt64OrNull(substring(c56, 2)), NULL), 0)), isNotNull(if(substring(c56, 1, 1) IN ('n', 'f'), toFloat64OrNull(substring(c56, 2)), NULL))), concat('s', maxOrNull(if(substring(c56, 1, 1) IN ('s'), substring(c56, 2), NULL))), multiIf(maxOrNull(if(substring(c56, 1, 1) IN ('b'), multiIf(substring(c56, 2) = 'true', true, substring(c56, 2) = 'false', false, NULL), NULL)), 'btrue', NOT maxOrNull(if(substring(c56, 1, 1) IN ('b'), multiIf(substring(c56, 2) = 'true', true, substring(c56, 2) = 'false', false, NULL), NULL)), 'bfalse', NULL)) AS c57
SELECT c39 AS r1,
  c40 AS r2,
  c43 AS r3,
  c46 AS r4,
  c57 AS r5
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
  AND (NOT isNull(if(trace_id = toFixedString('', 16), NULL, lower(hex(trace_id)))))
) AS l
LEFT JOIN (
  SELECT tupleElement(argMin(tuple(toNullable(status)), (parent_span_id != toFixedString('', 8), time)), 1) AS c42,
    tupleElement(argMin(tuple(toNullable(duration)), (parent_span_id != toFixedString('', 8), time)), 1) AS c45,
    tupleElement(argMin(tuple(toNullable(multiIf((string_attributes[{p6:String}] != '' OR (position(empty_attributes, concat('\0', {p6:String}, '\0')) > 0)), concat('s', string_attributes[{p6:String}]), mapContains(int_attributes, {p6:String}), concat('n', toString(int_attributes[{p6:String}])), mapContains(float_attributes, {p6:String}), concat(if(abs(float_attributes[{p6:String}]) < 9007199254740992, 'n', 'f'), toString(float_attributes[{p6:String}])), mapContains(bool_attributes, {p6:String}), multiIf(bool_attributes[{p6:String}], 'btrue', NOT bool_attributes[{p6:String}], 'bfalse', NULL), (json_attributes[{p6:String}] != ''), concat('j', json_attributes[{p6:String}]), (resource[{p6:String}] != '' OR (position(empty_resource, concat('\0', {p6:String}, '\0')) > 0)), concat(if(position(resource_types, concat('\0', {p6:String}, '\x01')) = 0, 's', substring(resource_types, position(resource_types, concat('\0', {p6:String}, '\x01')) + 27, 1)), resource[{p6:String}]), NULL))), (parent_span_id != toFixedString('', 8), time)), 1) AS c56,
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
GROUP BY c39
ORDER BY c39
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "checkout-v2"
-- p6 = "http.response.status_code"
-- p7 = "1795096200000000000"
