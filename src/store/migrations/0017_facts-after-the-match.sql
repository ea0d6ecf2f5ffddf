CREATE TABLE "held_matches" (
	"listing_id" bigint NOT NULL,
	"filter_id" text NOT NULL,
	"user_id" text NOT NULL,
	"appeared_after_ms" bigint,
	"may_buy" boolean NOT NULL,
	"held_at_ms" bigint NOT NULL,
	"until_ms" bigint NOT NULL,
	"due_at_ms" bigint NOT NULL,
	CONSTRAINT "held_matches_listing_id_filter_id_pk" PRIMARY KEY("listing_id","filter_id")
);
--> statement-breakpoint
CREATE TABLE "relists" (
	"key" bigint PRIMARY KEY NOT NULL,
	"count" integer NOT NULL,
	"first_price_cents" integer NOT NULL,
	"lowest_price_cents" integer NOT NULL,
	"earlier_lowest_cents" integer,
	"first_seen_at_ms" bigint NOT NULL,
	"last_seen_at_ms" bigint NOT NULL,
	"last_listing_id" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "seller_facts" (
	"seller_id" bigint PRIMARY KEY NOT NULL,
	"rating" double precision,
	"review_count" integer,
	"country_code" text,
	"known_at_ms" bigint,
	"requests" smallint NOT NULL,
	"asked_since_ms" bigint NOT NULL,
	"claimed_until_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "seller_pauses" (
	"id" smallint PRIMARY KEY NOT NULL,
	"until_ms" bigint NOT NULL,
	"refusals" smallint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "held_matches_by_due" ON "held_matches" USING btree ("due_at_ms");--> statement-breakpoint
CREATE INDEX "held_matches_by_user" ON "held_matches" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "relists_by_listing" ON "relists" USING btree ("last_listing_id");--> statement-breakpoint
CREATE INDEX "relists_by_moment" ON "relists" USING btree ("last_seen_at_ms");--> statement-breakpoint
CREATE INDEX "seller_facts_by_moment" ON "seller_facts" USING btree ("asked_since_ms");