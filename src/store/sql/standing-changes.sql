-- The people whose standing changed in a transaction open at the mark or begun later, and the next mark.
-- $1: the previous mark; null at the first call.
select pg_snapshot_xmin(pg_current_snapshot())::text as mark,
  (select coalesce(json_agg(distinct user_key), '[]') from standing_changes where transaction >= $1::bigint) as user_keys
