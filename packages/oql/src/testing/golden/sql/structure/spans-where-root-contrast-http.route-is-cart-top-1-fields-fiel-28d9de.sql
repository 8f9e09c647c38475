-- spans | where root | contrast (http.route == "/cart") top 1 | fields field, value, selected_share, rest_share
SELECT c23 AS r1,
  c24 AS r2,
  if(c27 = 0, 0., c25 / c27) AS r3,
  if(c28 = 0, 0., c26 / c28) AS r4
FROM (
  SELECT c23,
    c24,
    maxIf(c25, c23 = '') OVER () AS c27,
    c25,
    maxIf(c26, c23 = '') OVER () AS c28,
    c26
  FROM (
    SELECT c29 AS c23,
      c30 AS c24,
      sumIf(c22, c21) AS c25,
      sumIf(c22, (NOT c21)) AS c26
    FROM (
      SELECT weight AS c22,
        (string_attributes[{p3:String}] = {p4:String} OR (resource[{p3:String}] = {p4:String} AND string_attributes[{p3:String}] = '')) AS c21,
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
        environment AS c19,
        scope_name AS c20
      FROM spans
      WHERE workspace = {p5:UInt32}
      AND project = {p6:UInt32}
      AND time >= fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p8:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
      AND (parent_span_id = toFixedString('', 8))
    )
    ARRAY JOIN arrayConcat({p2:Array(String)}, mapKeys((c11, c12, c13, c14, c15).1), mapKeys((c11, c12, c13, c14, c15).2), mapKeys((c11, c12, c13, c14, c15).4), arrayMap(k -> concat('resource.', k), mapKeys(c16))) AS c29,
      arrayConcat(array('', c4, c5, toString(c6), toString(c7), ifNull(nullIf(c19, ''), ''), ifNull(nullIf(c20, ''), '')), mapValues((c11, c12, c13, c14, c15).1), arrayMap(v -> toString(v), mapValues((c11, c12, c13, c14, c15).2)), arrayMap(v -> toString(v), mapValues((c11, c12, c13, c14, c15).4)), mapValues(c16)) AS c30
    GROUP BY c23,
      c24
    HAVING (c23 = '' OR (c24 != '' AND NOT has({p1:Array(String)}, c23)))
  )
)
WHERE (c23 != '')
ORDER BY abs((if(c27 = 0, 0., c25 / c27) - if(c28 = 0, 0., c26 / c28))) DESC,
  c23,
  c24
LIMIT 1
-- p1 = ["http.route","resource.http.route","route","resource.route","resource.service.name"]
-- p2 = ["","service.name","name","kind","status","environment","scope.name"]
-- p3 = "http.route"
-- p4 = "/cart"
-- p5 = 7
-- p6 = 1
-- p7 = "1795096800000000000"
-- p8 = "1795100400000000000"
