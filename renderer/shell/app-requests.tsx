import { com } from '../../lexicons/generated/index.ts'
import type { Body } from '../api/client.ts'
import { useProcedure, useXrpcQuery } from '../api/hooks.ts'
import { useSession } from '../api/sessions.ts'
import { scopeWords } from '../parts/scopes.ts'
import { t } from '../strings/en.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { Stack } from '../ui/page.tsx'
import { FormError } from '../ui/states.tsx'
import { toast } from '../ui/toast.tsx'
import styles from './app-requests.module.css'

const { decideRequest, listRequests } = com.core.oauth

type Request = Body<typeof listRequests.main>['requests'][number]

/** Milliseconds between questions for new requests. */
const pollMs = 4000

/** In the app window: the requests of apps that wait for an approval there, one after the other. */
export function AppRequests() {
  const { data } = useXrpcQuery(listRequests, {}, { pollMs: () => pollMs })
  const request = data?.requests[0]
  return request ? <RequestDialog key={request.id} request={request} /> : null
}

function RequestDialog({ request }: { readonly request: Request }) {
  const { handle } = useSession()
  const { id, client, isLocal, scope, number } = request
  const name = isLocal ? t.authorize.here : (URL.parse(client)?.host ?? client)
  const decide = useProcedure(decideRequest, [listRequests], {
    onSuccess: (_, { isAllowed }) => toast(isAllowed ? t.authorize.allowed(name) : t.authorize.denied(name)),
  })
  const answer = (isAllowed: boolean) => decide.mutate({ id, isAllowed })
  return (
    <Dialog onClose={() => answer(false)} opensItself title={t.authorize.title(name)}>
      <Stack>
        <p className={styles.number}>{number}</p>
        <p>{t.authorize.sameNumber}</p>
        <p>
          {t.authorize.account}: <strong>{handle}</strong>
        </p>
        <div>
          {t.authorize.may}
          <ul className={styles.scopes}>
            {scopeWords(scope).map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        </div>
        <p className={styles.client}>{client.replace(/\?.*$/, '')}</p>
        <FormError error={decide.error} />
      </Stack>
      <DialogActions>
        <Button busy={decide.isPending} onClick={() => answer(false)}>
          {t.authorize.deny}
        </Button>
        <Button busy={decide.isPending} onClick={() => answer(true)} variant="primary">
          {t.authorize.allow}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
