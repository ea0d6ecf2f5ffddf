import { LegalSection, SupportLink } from "./legal-section.tsx";

export function AboutText() {
  return (
    <>
      <p className="legal__lead">
        Les bonnes pièces de seconde main partent en quelques secondes. Synapse les guette à votre place.
      </p>
      <LegalSection title="Ce que fait Synapse">
        <p>
          Vous décrivez ce que vous cherchez dans des filtres. Synapse lit les nouvelles annonces, vous montre
          en direct celles qui correspondent, et les achète en un clic ou, si vous l'avez demandé,
          automatiquement. Il s'adresse aux collectionneurs et aux revendeurs qui connaissent leurs prix.
        </p>
      </LegalSection>
      <LegalSection title="Trois règles de la maison">
        <ul>
          <li>
            Un seul lecteur pour tous. Le nombre de demandes faites à la place de marché ne grandit pas avec
            le nombre d'abonnés&nbsp;; il suit le rythme qu'elle accepte, et s'arrête quand elle le demande.
          </li>
          <li>
            Jamais deux paiements. Un paiement douteux est vérifié dans vos commandes&nbsp;; il n'est jamais
            relancé à l'aveugle.
          </li>
          <li>
            Vos secrets restent des secrets. L'accès à votre compte, votre adresse et vos points relais sont
            chiffrés, chaque personne avec sa propre clé.
          </li>
        </ul>
      </LegalSection>
      <LegalSection title="Ce que Synapse n'est pas">
        <p>
          Synapse n'est affilié à aucune place de marché et ne vend rien lui-même&nbsp;: chaque achat est
          conclu entre vous et le vendeur, sur la place de marché, avec ses règles et ses protections.
        </p>
      </LegalSection>
      <LegalSection title="Qui l'exploite">
        <p>
          L'exploitant de cette installation la tient, ouvre les accès et répond de vos données. On lui écrit
          à <SupportLink />.
        </p>
      </LegalSection>
    </>
  );
}

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

export function CareersText() {
  return (
    <>
      <p className="legal__lead">Aucun poste n'est ouvert en ce moment.</p>
      <LegalSection title="Nous préférons le dire">
        <p>
          Synapse est en bêta privée et ne recrute pas. Quand un poste s'ouvrira, il sera décrit ici, avec le
          travail à faire et la façon de postuler.
        </p>
      </LegalSection>
      <LegalSection title="Aider quand même">
        <p>
          Le plus utile aujourd'hui est un bon signalement&nbsp;: ce que vous vouliez faire, ce qui s'est
          passé, à quelle heure. Envoyez-le à <SupportLink />.
        </p>
      </LegalSection>
    </>
  );
}

export function ContactText() {
  return (
    <>
      <p className="legal__lead">
        Une adresse pour tout&nbsp;: <SupportLink />
      </p>
      <LegalSection title="Un achat à vérifier">
        <p>
          Donnez le titre de l'article, la date et l'heure affichées dans «&nbsp;Mes achats&nbsp;» et, s'il y
          en a un, le numéro de transaction. Un achat «&nbsp;Inconnu&nbsp;» n'est jamais relancé sans réponse.
        </p>
      </LegalSection>
      <LegalSection title="Votre accès">
        <p>
          Dites sous quel nom Discord vous êtes inscrit. Écrire ne change pas votre rang sur la liste
          d'attente, mais répare un compte bloqué.
        </p>
      </LegalSection>
      <LegalSection title="Vos données">
        <p>
          Pour recevoir une copie de vos données ou les faire effacer, un message suffit. La réponse vient en
          un mois au plus. Le détail est dans <a href="/rgpd">vos droits</a>.
        </p>
      </LegalSection>
      <LegalSection title="Une faille de sécurité">
        <p>
          Décrivez comment la reproduire, sur votre propre compte et sans toucher aux données d'autrui. Merci
          de laisser le temps de la corriger avant d'en parler.
        </p>
      </LegalSection>
      <LegalSection title="Ce qu'il ne faut jamais envoyer">
        <p>
          Ni le token de votre compte de la place de marché, ni un mot de passe, ni un numéro de carte. Le
          support n'en a pas besoin et ne les demandera pas.
        </p>
      </LegalSection>
    </>
  );
}
