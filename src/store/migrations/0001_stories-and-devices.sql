CREATE TABLE "missed_wishes" (
	"user_id" text NOT NULL,
	"listing_id" bigint NOT NULL,
	"filter_id" text NOT NULL,
	"reason" text NOT NULL,
	"listing" json NOT NULL,
	"first_seen_at_ms" bigint NOT NULL,
	"matched_at_ms" bigint NOT NULL,
	"missed_at_ms" bigint NOT NULL,
	CONSTRAINT "missed_wishes_user_id_listing_id_pk" PRIMARY KEY("user_id","listing_id")
);
--> statement-breakpoint
CREATE TABLE "purchase_origins" (
	"purchase_id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"first_seen_at_ms" bigint NOT NULL,
	"leaf_ids" json NOT NULL
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "device" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "missed_wishes" ADD CONSTRAINT "missed_wishes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "purchase_origins" ADD CONSTRAINT "purchase_origins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "missed_wishes_by_moment" ON "missed_wishes" USING btree ("missed_at_ms");