-- OPEN: creates purchases of different people and listings, each with hold, first attempt, audit entry and
-- origin, if its person and the switches have the versions that the decision saw (locked rows are
-- re-evaluated after the wait). The rows of the switches and the people stay locked until the commit.
-- $1: the openings (operations.ts), $2: the version of the switches.
with wanted as materialized (
  select * from json_to_recordset($1::json) as w (
    n int, version bigint,
    id text, user_id text, listing_id bigint, epoch int, source text, lane text, filter_id text, mode text, state text,
    failure_reason text, price_cap_cents bigint, hold_cents bigint, charged_cents bigint, payment_method_id smallint,
    transaction_id bigint, confirm_url text, decided_at_ms bigint, updated_at_ms bigint, is_hidden boolean,
    reached_checkout boolean, is_told boolean, listing text, seller_id bigint, seller_login text, wished_at_ms bigint, day_key text, month_key text,
    lease_owner text, due_at_ms bigint, not_before_ms bigint, attempt_count int, attempt_phase text,
    attempt_transaction_id bigint, checkout_id bigint, had_doubt boolean, watch text,
    day_cap_cents bigint, month_cap_cents bigint, audit_kind text, audit_details text,
    first_seen_at_ms bigint, leaf_ids text, group_id text, usual_cents int, usual_sample int)
), switches as materialized (
  select 1 from switch_state where version = $2 for share
), buyer as materialized (
  select b.user_id from buying_accounts b join wanted w on w.user_id = b.user_id
  where b.version = w.version and exists (select 1 from switches)
  order by b.user_id for update of b
), opened as (
  -- Waits for transactions that create or end a purchase of the same listing; always in the same order, so that
  -- statements cannot deadlock.
  insert into purchases (id, user_id, listing_id, epoch, source, lane, filter_id, mode, state, failure_reason,
    price_cap_cents, hold_cents, charged_cents, payment_method_id, transaction_id, confirm_url, decided_at_ms,
    updated_at_ms, is_hidden, reached_checkout, is_told, listing, seller_id, seller_login, wished_at_ms, day_key, month_key,
    lease_owner, due_at_ms, not_before_ms, attempt_count, attempt_phase, attempt_transaction_id, checkout_id, had_doubt, watch,
    group_id)
  select w.id, w.user_id, w.listing_id, w.epoch, w.source, w.lane, w.filter_id, w.mode, w.state, w.failure_reason,
    w.price_cap_cents, w.hold_cents, w.charged_cents, w.payment_method_id, w.transaction_id, w.confirm_url,
    w.decided_at_ms, w.updated_at_ms, w.is_hidden, w.reached_checkout, w.is_told, w.listing::json, w.seller_id, w.seller_login, w.wished_at_ms,
    w.day_key, w.month_key, w.lease_owner, w.due_at_ms, w.not_before_ms, w.attempt_count, w.attempt_phase,
    w.attempt_transaction_id, w.checkout_id, w.had_doubt, w.watch::json, w.group_id
  from wanted w join buyer b on b.user_id = w.user_id
  order by w.listing_id
  on conflict do nothing
  returning id, user_id
), bumped as (
  update buying_accounts b set version = b.version + 1 from opened o where b.user_id = o.user_id
), attempted as (
  insert into purchase_attempts (purchase_id, n, user_id, started_at_ms)
  select w.id, w.attempt_count, w.user_id, w.decided_at_ms
  from opened o join wanted w on w.id = o.id where w.attempt_count > 0
), booked as (
  -- A cap follows the person's limit and never falls below what is held and captured; the table's check then refuses a
  -- wrong decision.
  insert into budgets (user_id, period, cap_cents, held_cents, captured_cents, extra_cents, purchases)
  select w.user_id, k.period, k.cap_cents, w.hold_cents, 0, 0, 1
  from opened o join wanted w on w.id = o.id
  cross join lateral (values (w.day_key, w.day_cap_cents), (w.month_key, w.month_cap_cents)) as k (period, cap_cents)
  where w.mode = 'live'
  on conflict (user_id, period) do update set
    held_cents = budgets.held_cents + excluded.held_cents,
    purchases = budgets.purchases + excluded.purchases,
    cap_cents = greatest(excluded.cap_cents, budgets.held_cents + budgets.captured_cents)
), entered as (
  insert into ledger (at_ms, user_id, purchase_id, kind, amount_cents, held_delta_cents, captured_delta_cents,
    extra_delta_cents, purchases_delta, day_key, month_key)
  select w.decided_at_ms, w.user_id, w.id, 'hold', w.hold_cents, w.hold_cents, 0, 0, 1, w.day_key, w.month_key
  from opened o join wanted w on w.id = o.id where w.mode = 'live'
), audited as (
  insert into audit_entries (at_ms, kind, user_id, details)
  select w.updated_at_ms, w.audit_kind, w.user_id, w.audit_details::json
  from opened o join wanted w on w.id = o.id where w.audit_kind is not null
), origins as (
  insert into purchase_origins (purchase_id, user_id, first_seen_at_ms, leaf_ids, usual_cents, usual_sample)
  select w.id, w.user_id, w.first_seen_at_ms, w.leaf_ids::json, w.usual_cents, w.usual_sample
  from opened o join wanted w on w.id = o.id where w.first_seen_at_ms is not null
), forgotten as (
  -- A wish that was recorded as missed and is bought after all. One that awaits the person's decision is kept and not
  -- shown meanwhile: their purchase may fail.
  delete from missed_wishes m using opened o join wanted w on w.id = o.id
  where m.user_id = w.user_id and m.listing_id = w.listing_id and w.mode = 'live'
    and m.reason <> 'too_good'
), filled as (
  -- A simulation is confirmed at once and may reach its filter's own maximum; it ends nothing else.
  update filters f set is_autobuy = false, end_reason = 'max_purchases', ended_at_ms = w.decided_at_ms
  from opened o join wanted w on w.id = o.id
  where f.id = w.filter_id and f.user_id = w.user_id and f.is_autobuy and w.state = 'confirmed'
    and w.mode = case when f.is_simulation then 'simulation' else 'live' end
    and f.max_purchases <= 1 + (select count(*) from purchases p where p.filter_id = f.id and p.mode = w.mode
      and p.state in ('confirmed', 'cancelling', 'cancel_unknown'))
  returning w.id, w.user_id, w.decided_at_ms, f.id as filter_id
), stop_entries as (
  insert into audit_entries (at_ms, kind, user_id, details)
  select s.decided_at_ms, 'autobuy.stopped', s.user_id, json_build_object(
    'reason', 'max_purchases', 'groupId', null, 'filterIds', s.filter_id, 'purchaseId', s.id)
  from filled s
)
select w.n,
  case when o.id is not null then 'opened' when b.user_id is null then 'stale' else 'taken' end as kind,
  (select json_agg(json_build_object('reason', 'max_purchases', 'groupId', null, 'filterIds', s.filter_id))
    from filled s where s.id = w.id) as stops
from wanted w
left join buyer b on b.user_id = w.user_id
left join opened o on o.id = w.id
