-- spans | where root | contrast (duration > 30ms) top 1
SELECT c21 AS r1,
  c22 AS r2,
  toUInt64(round(c23)) AS r3,
  toUInt64(round(c24)) AS r4,
  if(c25 = 0, 0., c23 / c25) AS r5,
  if(c26 = 0, 0., c24 / c26) AS r6,
  (if(c25 = 0, 0., c23 / c25) - if(c26 = 0, 0., c24 / c26)) AS r7
FROM (
  SELECT c21,
    c22,
    c23,
    c24,
    maxIf(c23, c21 = '') OVER () AS c25,
    maxIf(c24, c21 = '') OVER () AS c26
  FROM (
    SELECT c27 AS c21,
      c28 AS c22,
      sumIf(c20, c19) AS c23,
      sumIf(c20, (NOT c19)) AS c24
    FROM (
      SELECT weight AS c20,
        (duration > {p3:Int64}) AS c19,
        string_attributes AS c11,
        int_attributes AS c12,
        float_attributes AS c13,
        bool_attributes AS c14,
        json_attributes AS c15,
        resource AS c16,
        service AS c4,
        name AS c5,
        kind AS c6,
        status AS c7,
        environment AS c17,
        scope_name AS c18
      FROM spans
      WHERE workspace = {p4:UInt32}
      AND project = {p5:UInt32}
      AND time >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND (parent_span_id = toFixedString('', 8))
    )
    ARRAY JOIN arrayConcat({p2:Array(String)}, mapKeys((c11, c12, c13, c14, c15).1), mapKeys((c11, c12, c13, c14, c15).2), mapKeys((c11, c12, c13, c14, c15).4), arrayMap(k -> concat('resource.', k), mapKeys(c16))) AS c27,
      arrayConcat(array('', c4, c5, toString(c6), toString(c7), ifNull(nullIf(c17, ''), ''), ifNull(nullIf(c18, ''), '')), mapValues((c11, c12, c13, c14, c15).1), arrayMap(v -> toString(v), mapValues((c11, c12, c13, c14, c15).2)), arrayMap(v -> toString(v), mapValues((c11, c12, c13, c14, c15).4)), mapValues(c16)) AS c28
    GROUP BY c21,
      c22
    HAVING (c21 = '' OR (c22 != '' AND NOT has({p1:Array(String)}, c21)))
  )
)
WHERE (c21 != '')
ORDER BY abs((if(c25 = 0, 0., c23 / c25) - if(c26 = 0, 0., c24 / c26))) DESC,
  c21,
  c22
LIMIT 1
-- p1 = ["duration","resource.duration","","resource.","resource.service.name"]
-- p2 = ["","service.name","name","kind","status","environment","scope.name"]
-- p3 = "30000000"
-- p4 = 7
-- p5 = 1
-- p6 = "1795096800000000000"
-- p7 = "1795100400000000000"
