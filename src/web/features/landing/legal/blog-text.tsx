import { LegalSection } from "./legal-section.tsx";

export function BlogText() {
  return (
    <>
      <p className="legal__lead">Comment ça marche, et pourquoi ainsi. Deux notes pour commencer.</p>
      <LegalSection title="Pourquoi une annonce met quelques secondes à venir">
        <p>
          La méthode la plus simple serait de relire la place de marché pour chaque filtre de chaque abonné.
          Cent abonnés à dix filtres, ce sont mille lectures&nbsp;: le blocage est certain, et mérité.
        </p>
        <p>
          Synapse fait l'inverse. Il regroupe les filtres de tout le monde en rayons, lit chaque rayon une
          seule fois, et distribue ce qu'il y trouve. Un rayon où il se publie beaucoup, ou que surveille un
          achat automatique, est relu plus souvent qu'un rayon calme&nbsp;; aucun n'est oublié. L'âge affiché
          sur chaque carte compte depuis le moment où Synapse a lu l'annonce.
        </p>
      </LegalSection>
      <LegalSection title="Pourquoi Synapse préfère parfois ne pas acheter">
        <p>
          Un paiement part, la réponse se perd. A-t-il eu lieu&nbsp;? Réessayer tout de suite, c'est risquer
          de payer deux fois. Renoncer, c'est risquer d'ignorer un achat bien réel.
        </p>
        <p>
          Synapse ne fait ni l'un ni l'autre. L'achat reste «&nbsp;En attente&nbsp;», la somme reste réservée
          dans vos plafonds, et vos commandes sont relues jusqu'à ce que l'une d'elles prouve l'achat, ou que
          leur silence prouve son absence. Si rien ne tranche, l'achat devient «&nbsp;Inconnu&nbsp;» et un
          humain regarde. Cela coûte quelques pièces manquées. Cela n'en coûte jamais deux fois le prix.
        </p>
      </LegalSection>
    </>
  );
}
