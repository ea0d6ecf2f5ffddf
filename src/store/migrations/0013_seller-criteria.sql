ALTER TABLE "filters" ADD COLUMN "seller_min_rating" double precision;--> statement-breakpoint
ALTER TABLE "filters" ADD COLUMN "seller_min_reviews" integer;--> statement-breakpoint
ALTER TABLE "filters" ADD COLUMN "seller_country_codes" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "filters" ADD COLUMN "seller_if_unknown" text DEFAULT 'hold' NOT NULL;--> statement-breakpoint
ALTER TABLE "filters" ADD COLUMN "ignores_relists" boolean DEFAULT false NOT NULL;