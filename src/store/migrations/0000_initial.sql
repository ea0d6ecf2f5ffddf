CREATE TABLE "audit_entries" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at_ms" bigint NOT NULL,
	"kind" text NOT NULL,
	"user_id" text,
	"details" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_links" (
	"position" bigint PRIMARY KEY NOT NULL,
	"entry_id" bigint NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "audit_links_entry_id_unique" UNIQUE("entry_id")
);
--> statement-breakpoint
CREATE TABLE "filters" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"tag" text NOT NULL,
	"folded_tag" text NOT NULL,
	"info" text NOT NULL,
	"category_ids" integer[] NOT NULL,
	"brand_ids" integer[] NOT NULL,
	"size_ids" integer[] NOT NULL,
	"condition_ids" integer[] NOT NULL,
	"colour_name" text,
	"price_cap_eur" integer NOT NULL,
	"include_words" text[] NOT NULL,
	"exclude_words" text[] NOT NULL,
	"is_active" boolean NOT NULL,
	"is_autobuy" boolean NOT NULL,
	"is_private" boolean NOT NULL,
	"is_simulation" boolean NOT NULL,
	"payment_method_id" smallint NOT NULL,
	"max_purchases" integer,
	"created_at_ms" bigint NOT NULL,
	"activated_at_ms" bigint,
	"copies" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "marketplace_accounts" (
	"user_id" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"generation" integer NOT NULL,
	"sealed_refresh_token" "bytea",
	"sealed_access_token" "bytea",
	"access_expires_at_ms" bigint DEFAULT 0 NOT NULL,
	"connected_at_ms" bigint NOT NULL,
	"refresh_owner" text,
	"refresh_until_ms" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "matches" (
	"user_id" text NOT NULL,
	"listing_id" bigint NOT NULL,
	"total_price_cents" integer NOT NULL,
	"cursor" bigint NOT NULL,
	"filter_ids" json NOT NULL,
	"matched_at_ms" bigint NOT NULL,
	CONSTRAINT "matches_user_id_listing_id_total_price_cents_pk" PRIMARY KEY("user_id","listing_id","total_price_cents")
);
--> statement-breakpoint
CREATE TABLE "seen_listings" (
	"id" bigint PRIMARY KEY NOT NULL,
	"document" json NOT NULL,
	"first_seen_at_ms" bigint NOT NULL,
	"seen_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"last_seen_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "settings" (
	"user_id" text PRIMARY KEY NOT NULL,
	"payment_method_id" smallint NOT NULL,
	"sealed_address" "bytea",
	"sealed_pickup_points" "bytea",
	"day_eur" integer NOT NULL,
	"month_eur" integer NOT NULL,
	"purchases_per_day" integer NOT NULL,
	"is_stopped" boolean NOT NULL,
	"resumed_at_ms" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "slice_marks" (
	"key" text PRIMARY KEY NOT NULL,
	"last_read_at_ms" bigint NOT NULL,
	"highest_listing_id" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "system_meta" (
	"key" text PRIMARY KEY NOT NULL,
	"sealed_value" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"provider_key" text NOT NULL,
	"login_key" text NOT NULL,
	"wrapped_data_key" "bytea" NOT NULL,
	"sealed_profile" "bytea" NOT NULL,
	"plan" text NOT NULL,
	"plan_ends_at_ms" bigint,
	"is_suspended" boolean DEFAULT false NOT NULL,
	"created_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "budgets" (
	"user_id" text NOT NULL,
	"period" text NOT NULL,
	"cap_cents" bigint NOT NULL,
	"held_cents" bigint NOT NULL,
	"captured_cents" bigint NOT NULL,
	"extra_cents" bigint NOT NULL,
	"purchases" integer NOT NULL,
	CONSTRAINT "budgets_user_id_period_pk" PRIMARY KEY("user_id","period"),
	CONSTRAINT "budgets_amounts" CHECK ("budgets"."held_cents" >= 0 and "budgets"."captured_cents" >= 0),
	CONSTRAINT "budgets_cap" CHECK ("budgets"."held_cents" + "budgets"."captured_cents" <= "budgets"."cap_cents")
);
--> statement-breakpoint
CREATE TABLE "buying_accounts" (
	"user_id" text PRIMARY KEY NOT NULL,
	"is_stopped" boolean DEFAULT false NOT NULL,
	"paused_until_ms" bigint DEFAULT 0 NOT NULL,
	"stop_reason" text DEFAULT '' NOT NULL,
	"pause_count" integer DEFAULT 0 NOT NULL,
	"stop_thrown_at_ms" bigint DEFAULT 0 NOT NULL,
	"swept_at_ms" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ledger" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at_ms" bigint NOT NULL,
	"user_id" text NOT NULL,
	"purchase_id" text NOT NULL,
	"kind" text NOT NULL,
	"amount_cents" bigint NOT NULL,
	"held_delta_cents" bigint NOT NULL,
	"captured_delta_cents" bigint NOT NULL,
	"extra_delta_cents" bigint NOT NULL,
	"purchases_delta" integer NOT NULL,
	"day_key" text NOT NULL,
	"month_key" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "purchase_attempts" (
	"purchase_id" text NOT NULL,
	"n" integer NOT NULL,
	"user_id" text NOT NULL,
	"started_at_ms" bigint NOT NULL,
	"digest" text,
	"sent_at_ms" bigint,
	"deadline_ms" bigint,
	"ended_at_ms" bigint,
	"outcome" text,
	"evidence" json,
	CONSTRAINT "purchase_attempts_purchase_id_n_pk" PRIMARY KEY("purchase_id","n")
);
--> statement-breakpoint
CREATE TABLE "purchases" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"listing_id" bigint NOT NULL,
	"epoch" integer NOT NULL,
	"source" text NOT NULL,
	"lane" text NOT NULL,
	"filter_id" text,
	"mode" text NOT NULL,
	"state" text NOT NULL,
	"failure_reason" text,
	"price_cap_cents" bigint NOT NULL,
	"hold_cents" bigint NOT NULL,
	"charged_cents" bigint,
	"payment_method_id" smallint NOT NULL,
	"transaction_id" bigint,
	"confirm_url" text,
	"decided_at_ms" bigint NOT NULL,
	"updated_at_ms" bigint NOT NULL,
	"is_hidden" boolean NOT NULL,
	"reached_checkout" boolean NOT NULL,
	"listing" json NOT NULL,
	"wished_at_ms" bigint NOT NULL,
	"day_key" text NOT NULL,
	"month_key" text NOT NULL,
	"lease_owner" text,
	"due_at_ms" bigint,
	"not_before_ms" bigint NOT NULL,
	"attempt_count" integer NOT NULL,
	"attempt_phase" text NOT NULL,
	"attempt_transaction_id" bigint,
	"checkout_id" bigint,
	"had_doubt" boolean NOT NULL,
	"watch" json,
	CONSTRAINT "purchases_hold" CHECK ("purchases"."hold_cents" >= 0),
	CONSTRAINT "purchases_final_holds_nothing" CHECK ("purchases"."state" not in ('confirmed', 'cancelled', 'failed') or "purchases"."hold_cents" = 0)
);
--> statement-breakpoint
CREATE TABLE "stop_switches" (
	"name" text PRIMARY KEY NOT NULL,
	"is_on" boolean NOT NULL,
	"reason" text NOT NULL,
	"changed_at_ms" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "audit_links" ADD CONSTRAINT "audit_links_entry_id_audit_entries_id_fk" FOREIGN KEY ("entry_id") REFERENCES "public"."audit_entries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "filters" ADD CONSTRAINT "filters_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "marketplace_accounts" ADD CONSTRAINT "marketplace_accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "settings" ADD CONSTRAINT "settings_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_entries_by_user" ON "audit_entries" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "filters_by_user" ON "filters" USING btree ("user_id","created_at_ms","id");--> statement-breakpoint
CREATE INDEX "filters_active" ON "filters" USING btree ("id") WHERE "filters"."is_active";--> statement-breakpoint
CREATE INDEX "filters_public" ON "filters" USING btree ("copies","created_at_ms","id") WHERE not "filters"."is_private";--> statement-breakpoint
CREATE INDEX "marketplace_accounts_connected" ON "marketplace_accounts" USING btree ("user_id") WHERE "marketplace_accounts"."state" = 'connected';--> statement-breakpoint
CREATE INDEX "matches_by_cursor" ON "matches" USING btree ("user_id","cursor");--> statement-breakpoint
CREATE INDEX "matches_by_moment" ON "matches" USING btree ("matched_at_ms");--> statement-breakpoint
CREATE INDEX "seen_listings_by_moment" ON "seen_listings" USING btree ("seen_at_ms","id");--> statement-breakpoint
CREATE INDEX "sessions_by_user" ON "sessions" USING btree ("user_id","created_at_ms");--> statement-breakpoint
CREATE UNIQUE INDEX "users_provider_key" ON "users" USING btree ("provider","provider_key");--> statement-breakpoint
CREATE INDEX "users_login_key" ON "users" USING btree ("login_key");--> statement-breakpoint
CREATE INDEX "users_by_arrival" ON "users" USING btree ("created_at_ms","id");--> statement-breakpoint
CREATE INDEX "ledger_by_user" ON "ledger" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "ledger_by_purchase" ON "ledger" USING btree ("purchase_id");--> statement-breakpoint
CREATE INDEX "purchase_attempts_in_doubt" ON "purchase_attempts" USING btree ("user_id","ended_at_ms") WHERE "purchase_attempts"."outcome" = 'unknown';--> statement-breakpoint
CREATE UNIQUE INDEX "purchases_once" ON "purchases" USING btree ("user_id","listing_id","epoch","mode");--> statement-breakpoint
CREATE UNIQUE INDEX "purchases_one_live_per_listing" ON "purchases" USING btree ("listing_id") WHERE "purchases"."mode" = 'live' and "purchases"."source" <> 'external' and "purchases"."state" not in ('failed', 'cancelled');--> statement-breakpoint
CREATE INDEX "purchases_by_user" ON "purchases" USING btree ("user_id","decided_at_ms","id");--> statement-breakpoint
CREATE INDEX "purchases_by_transaction" ON "purchases" USING btree ("user_id","transaction_id") WHERE "purchases"."transaction_id" is not null;--> statement-breakpoint
CREATE INDEX "purchases_due" ON "purchases" USING btree ("due_at_ms") WHERE "purchases"."due_at_ms" is not null;--> statement-breakpoint
CREATE INDEX "purchases_by_filter" ON "purchases" USING btree ("filter_id","mode") WHERE "purchases"."filter_id" is not null and "purchases"."state" not in ('failed', 'cancelled');