-- MOVE: writes one transition of one purchase, with its attempts, its money and its audit entry, if the
-- purchase, its person and the switches have the versions that the decision saw. The rows of the switches and
-- the person stay locked until the commit.
-- $1: the purchase after the transition and its dependent values, $2: the version of the switches,
-- $3: attempts, $4: ledger entries (operations.ts).
with next as materialized (
  select * from json_to_record($1::json) as n (
    id text, user_id text, version bigint, revision bigint,
    state text, failure_reason text, hold_cents bigint, charged_cents bigint, transaction_id bigint, confirm_url text,
    updated_at_ms bigint, reached_checkout boolean, lease_owner text, due_at_ms bigint, not_before_ms bigint,
    attempt_count int, attempt_phase text, attempt_transaction_id bigint, checkout_id bigint, had_doubt boolean, watch text,
    is_news boolean, stops_user boolean, now_ms bigint, moves_money boolean, day_key text, month_key text,
    held bigint, captured bigint, extra bigint, purchases int, day_cap_cents bigint, month_cap_cents bigint,
    audit_kind text, audit_details text, is_setback boolean)
), switches as materialized (
  select 1 from switch_state where version = $2 for share
), buyer as materialized (
  select b.user_id from buying_accounts b join next n on n.user_id = b.user_id
  where b.version = n.version and exists (select 1 from switches)
  for update of b
), moved as (
  update purchases p set
    state = n.state, failure_reason = n.failure_reason, hold_cents = n.hold_cents, charged_cents = n.charged_cents,
    transaction_id = n.transaction_id, confirm_url = n.confirm_url, updated_at_ms = n.updated_at_ms,
    reached_checkout = n.reached_checkout, lease_owner = n.lease_owner, due_at_ms = n.due_at_ms,
    not_before_ms = n.not_before_ms, attempt_count = n.attempt_count, attempt_phase = n.attempt_phase,
    attempt_transaction_id = n.attempt_transaction_id, checkout_id = n.checkout_id, had_doubt = n.had_doubt,
    watch = n.watch::json, is_setback = n.is_setback, is_told = p.is_told and not n.is_news
  from next n join buyer b on b.user_id = n.user_id
  where p.id = n.id and p.user_id = n.user_id and p.revision = n.revision
  returning p.id, p.user_id, p.filter_id, p.group_id, p.mode, p.state, p.charged_cents, p.decided_at_ms, p.is_setback
), stopped as (
  update settings s set is_stopped = true
  from moved m join next n on n.id = m.id
  where n.stops_user and s.user_id = m.user_id and not s.is_stopped
  returning s.user_id
), bumped as (
  update buying_accounts b set version = b.version + 1,
    -- An existing stop keeps its origin, which decides who may lift it.
    stop_thrown_at_ms = case when exists (select 1 from stopped) then n.now_ms else b.stop_thrown_at_ms end
  from moved m join next n on n.id = m.id
  where b.user_id = m.user_id
  returning b.version
), stop_audited as (
  insert into audit_entries (at_ms, kind, user_id, details)
  select n.now_ms, 'buying.stopped', m.user_id, json_build_object('purchaseId', m.id, 'reason', r.reason)
  from moved m join next n on n.id = m.id
    cross join lateral (select case when m.state = 'unknown' then 'unknown_outcomes' else 'overcharge' end as reason) r
  -- Unknown outcomes are audited only if they stop the person, an overcharge always, once per purchase.
  where n.stops_user and (exists (select 1 from stopped) or (r.reason = 'overcharge' and not exists (
    select 1 from audit_entries a where a.user_id = m.user_id and a.kind = 'buying.stopped'
      and a.details ->> 'purchaseId' = m.id and a.details ->> 'reason' = 'overcharge')))
), attempts as materialized (
  select m.id as purchase_id, m.user_id, a.* from moved m cross join json_to_recordset($3::json) as a (
    n int, started_at_ms bigint, digest text, sent_at_ms bigint, deadline_ms bigint, ended_at_ms bigint, outcome text,
    evidence text)
), begun as (
  insert into purchase_attempts
    (purchase_id, n, user_id, started_at_ms, digest, sent_at_ms, deadline_ms, ended_at_ms, outcome, evidence)
  select purchase_id, n, user_id, started_at_ms, digest, sent_at_ms, deadline_ms, ended_at_ms, outcome, evidence::json
  from attempts a where a.started_at_ms is not null
), continued as (
  update purchase_attempts t set
    digest = coalesce(a.digest, t.digest), sent_at_ms = coalesce(a.sent_at_ms, t.sent_at_ms),
    deadline_ms = coalesce(a.deadline_ms, t.deadline_ms), ended_at_ms = coalesce(a.ended_at_ms, t.ended_at_ms),
    outcome = coalesce(a.outcome, t.outcome), evidence = coalesce(a.evidence::json, t.evidence)
  from attempts a
  where a.started_at_ms is null and t.purchase_id = a.purchase_id and t.n = a.n
), booked as (
  -- A cap follows the person's limit and never falls below what is held and captured; the table's check then refuses a
  -- wrong decision.
  update budgets g set
    held_cents = g.held_cents + n.held, captured_cents = g.captured_cents + n.captured,
    extra_cents = g.extra_cents + n.extra, purchases = g.purchases + n.purchases,
    cap_cents = greatest(case when g.period = n.day_key then n.day_cap_cents else n.month_cap_cents end,
      g.held_cents + g.captured_cents)
  from moved m join next n on n.id = m.id
  where n.moves_money and g.user_id = m.user_id and g.period in (n.day_key, n.month_key)
), entered as (
  insert into ledger (at_ms, user_id, purchase_id, kind, amount_cents, held_delta_cents, captured_delta_cents,
    extra_delta_cents, purchases_delta, day_key, month_key)
  select n.now_ms, m.user_id, m.id, l.kind, l.amount_cents, l.held, l.captured, l.extra, l.purchases, n.day_key, n.month_key
  from moved m join next n on n.id = m.id
  cross join json_to_recordset($4::json) as l (
    n int, kind text, amount_cents bigint, held bigint, captured bigint, extra bigint, purchases int)
  order by l.n
), audited as (
  insert into audit_entries (at_ms, kind, user_id, details)
  select n.updated_at_ms, n.audit_kind, m.user_id, n.audit_details::json
  from moved m join next n on n.id = m.id where n.audit_kind is not null
), full_group as materialized (
  -- The group, if its maximum of purchases is paid or less than 1 EUR of its budget is left.
  select g.id from moved m join groups g on g.id = m.group_id and g.user_id = m.user_id
  cross join lateral (select count(*) as n, coalesce(sum(p.charged_cents), 0) as cents from purchases p
    where p.group_id = g.id and p.mode = m.mode and p.id <> m.id
      and p.state in ('confirmed', 'cancelling', 'cancel_unknown')) others
  where m.mode = 'live' and m.state = 'confirmed'
    and (g.max_purchases <= 1 + others.n or g.budget_eur * 100 - others.cents - coalesce(m.charged_cents, 0) < 100)
), full_filter as materialized (
  -- The same for the filter itself, and for setbacks since it was switched on.
  select f.id, case
    when m.state = 'confirmed' and f.max_purchases <= 1 + (select count(*) from purchases p
      where p.filter_id = f.id and p.mode = m.mode and p.id <> m.id
        and p.state in ('confirmed', 'cancelling', 'cancel_unknown')) then 'max_purchases'
    when m.state = 'confirmed' and m.mode = 'live' and (f.rules ->> 'totalBudgetEur')::int * 100
      - coalesce(m.charged_cents, 0) - (select coalesce(sum(p.charged_cents), 0) from purchases p
        where p.filter_id = f.id and p.mode = m.mode and p.id <> m.id
          and p.state in ('confirmed', 'cancelling', 'cancel_unknown')) < 100 then 'total_budget'
    when m.is_setback and m.decided_at_ms >= coalesce(f.autobuy_since_ms, 0)
      and (f.rules ->> 'maxFailures')::int <= 1 + (select count(*) from purchases p
        where p.filter_id = f.id and p.is_setback and p.id <> m.id
          and p.decided_at_ms >= coalesce(f.autobuy_since_ms, 0)) then 'failures' end as reason
  from moved m join filters f on f.id = m.filter_id and f.user_id = m.user_id
  where m.mode = case when f.is_simulation then 'simulation' else 'live' end
), ended as (
  update filters f set is_autobuy = false, ended_at_ms = n.now_ms,
    end_reason = case when f.group_id = g.id then 'group' else o.reason end
  from next n left join full_group g on true left join full_filter o on o.reason is not null
  where f.user_id = n.user_id and f.is_autobuy and (f.group_id = g.id or f.id = o.id)
  returning f.id, f.end_reason as reason, case when f.end_reason = 'group' then f.group_id end as group_id
), stops as materialized (
  select e.reason, e.group_id, string_agg(e.id, ',' order by e.id) as filter_ids from ended e group by e.reason, e.group_id
), stop_entries as (
  insert into audit_entries (at_ms, kind, user_id, details)
  select n.now_ms, 'autobuy.stopped', n.user_id, json_build_object(
    'reason', s.reason, 'groupId', s.group_id, 'filterIds', s.filter_ids, 'purchaseId', n.id)
  from stops s cross join next n
)
select (select version::float8 from bumped) as version,
  (select json_agg(json_build_object('reason', s.reason, 'groupId', s.group_id, 'filterIds', s.filter_ids)) from stops s)
    as stops
