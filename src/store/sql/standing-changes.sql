-- The people whose standing changed in a transaction that had not ended at the mark, or began since; and the next mark.
-- $1: the mark of the last time, null for the first.
select pg_snapshot_xmin(pg_current_snapshot())::text as mark,
  (select coalesce(json_agg(distinct user_key), '[]') from standing_changes where transaction >= $1::bigint) as user_keys
