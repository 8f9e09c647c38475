-- spans | where root | contrast (http.route == "/cart") top 1 | fields field, value, selected_share, rest_share
SELECT c22 AS r1,
  c23 AS r2,
  if(c26 = 0, 0., c24 / c26) AS r3,
  if(c27 = 0, 0., c25 / c27) AS r4
FROM (
  SELECT c22,
    c23,
    maxIf(c24, c22 = '') OVER () AS c26,
    c24,
    maxIf(c25, c22 = '') OVER () AS c27,
    c25
  FROM (
    SELECT c28 AS c22,
      c29 AS c23,
      sumIf(c21, c20) AS c24,
      sumIf(c21, (NOT c20)) AS c25
    FROM (
      SELECT weight AS c21,
        (string_attributes[{p3:String}] = {p4:String} OR (resource[{p3:String}] = {p4:String} AND string_attributes[{p3:String}] = '')) AS c20,
        string_attributes AS c11,
        int_attributes AS c12,
        float_attributes AS c13,
        bool_attributes AS c14,
        json_attributes AS c15,
        resource AS c16,
        resource_types AS c17,
        service AS c4,
        name AS c5,
        kind AS c6,
        status AS c7,
        environment AS c18,
        scope_name AS c19
      FROM spans
      WHERE workspace = {p5:UInt32}
      AND project = {p6:UInt32}
      AND time >= fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p8:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
      AND (parent_span_id = toFixedString('', 8))
    )
    ARRAY JOIN arrayConcat({p2:Array(String)}, mapKeys((c11, c12, c13, c14, c15).1), mapKeys((c11, c12, c13, c14, c15).2), mapKeys((c11, c12, c13, c14, c15).4), arrayMap(k -> concat('resource.', k), mapKeys((c16, c17).1))) AS c28,
      arrayConcat(array('', c4, c5, toString(c6), toString(c7), ifNull(nullIf(c18, ''), ''), ifNull(nullIf(c19, ''), '')), mapValues((c11, c12, c13, c14, c15).1), arrayMap(v -> toString(v), mapValues((c11, c12, c13, c14, c15).2)), arrayMap(v -> toString(v), mapValues((c11, c12, c13, c14, c15).4)), mapValues((c16, c17).1)) AS c29
    GROUP BY c22,
      c23
    HAVING (c22 = '' OR (c23 != '' AND NOT has({p1:Array(String)}, c22)))
  )
)
WHERE (c22 != '')
ORDER BY abs((if(c26 = 0, 0., c24 / c26) - if(c27 = 0, 0., c25 / c27))) DESC,
  c22,
  c23
LIMIT 1
-- p1 = ["http.route","resource.http.route","route","resource.route","resource.service.name"]
-- p2 = ["","service.name","name","kind","status","environment","scope.name"]
-- p3 = "http.route"
-- p4 = "/cart"
-- p5 = 7
-- p6 = 1
-- p7 = "1795096800000000000"
-- p8 = "1795100400000000000"
