import { plans, type Plan } from "#catalogue/plans.ts";
import type { Utilisateur } from "#contract/compte.ts";
import { Icon } from "./icon.tsx";
import "./pricing-section.css";

const offers = plans.filter(({ key }) => key !== "none");

export function PricingSection({ user }: { readonly user: Utilisateur | null }) {
  return (
    <section className="landing-section" id="prix" aria-labelledby="prix-title">
      <h2 className="landing-title" id="prix-title">
        plans à venir
      </h2>
      <p className="landing-section__lead dim">
        Synapse est en bêta privée&nbsp;: aucun abonnement ne se paie en ligne aujourd'hui. Voici les plans
        qui viendront, et ce qu'ils contiendront.
      </p>
      {user?.waitlist === undefined ? null : (
        <p className="pricing__joined row strong">
          <Icon name="check" />
          Votre inscription est enregistrée.
          <a href="#login">Voir ma place</a>
        </p>
      )}
      <ul className="landing-thirds stack">
        {offers.map((plan) => (
          <PlanCard key={plan.key} plan={plan} />
        ))}
      </ul>
    </section>
  );
}

function PlanCard({ plan }: { readonly plan: Plan }) {
  const isThunder = plan.key === "thunder";
  return (
    <li className="plan card" data-lane={plan.key}>
      <div className="plan__head row between">
        <h3 className="plan__name wide-voice">{plan.label}</h3>
        {plan.isMostPopular ? <span className="plan__badge strong">le plus populaire</span> : null}
      </div>
      <p className="plan__price stack dim">
        <span className="plan__amount display-voice">{plan.priceEur}</span> EUR par mois
      </p>
      <ul className="plan__lines stack" data-gap="12">
        {plan.features.map(({ label, isIncluded }) => (
          <li key={label} className={isIncluded ? "line" : "line dim"} data-gap="12">
            <Icon name={isIncluded ? "check" : "minus"} />
            <span>
              <span className="visually-hidden">{isIncluded ? "Inclus : " : "Non inclus : "}</span>
              {label}
            </span>
          </li>
        ))}
      </ul>
      <a className={isThunder ? "landing-button volt" : "landing-button"} href="#login">
        {isThunder ? "Rejoindre la file d'attente" : "Rejoindre la bêta"}
      </a>
    </li>
  );
}
