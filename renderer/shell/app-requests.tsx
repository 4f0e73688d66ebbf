import { useMutation, useQueries, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { com } from '../../lexicons/generated/index.ts'
import { errorName } from '../api/call-errors.ts'
import { type Body, callAs } from '../api/client.ts'
import { keyOf } from '../api/hooks.ts'
import { useSessions } from '../api/sessions.ts'
import { appName } from '../parts/apps/app-name.ts'
import { openAnswer } from '../parts/apps/open-answer.ts'
import { scopeWords } from '../parts/apps/scopes.ts'
import { t } from '../strings/en.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Stack } from '../ui/page.tsx'
import { FormError, Notice } from '../ui/states.tsx'
import { toast } from '../ui/toast.tsx'
import styles from './app-requests.module.css'

const { decideRequest, listRequests } = com.core.oauth

/** A request, and the account that it is for. */
type Request = Body<typeof listRequests.main>['requests'][number] & {
  readonly did: string
  readonly handle: string
}

/** Milliseconds between questions for new requests. */
const pollMs = 4000

/** In the app window: the requests of apps that wait for an approval there, one after the other. */
export function AppRequests() {
  const waiting = useWaitingRequests()
  const [closed, setClosed] = useState<readonly string[]>([])
  const [shown, setShown] = useState<Request>()
  const next = waiting.find(({ id }) => !closed.includes(id))
  // A dialog that is open stays until the person closes it: another one in its place would take a click that was meant for it.
  if (!shown && next) setShown(next)
  if (!shown) return null
  const close = () => {
    setClosed([...closed, shown.id])
    setShown(undefined)
  }
  const isOpen = waiting.some(({ id }) => id === shown.id)
  return <RequestDialog isOpen={isOpen} key={shown.id} onClose={close} request={shown} />
}

function useWaitingRequests(): readonly Request[] {
  const accounts = useSessions().filter(({ status }) => status === undefined)
  return useQueries({
    queries: accounts.map(({ did }) => ({
      queryKey: keyOf(did, listRequests, {}),
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => callAs(did, listRequests, { signal }),
      refetchInterval: pollMs,
    })),
    combine: (answers) =>
      accounts.flatMap(({ did, handle }, index) =>
        (answers[index]?.data?.requests ?? []).map((request) => ({ ...request, did, handle })),
      ),
  })
}

interface RequestDialogProps {
  readonly request: Request
  /** Whether it can still be answered. */
  readonly isOpen: boolean
  onClose(): void
}

function RequestDialog({ request, isOpen, onClose }: RequestDialogProps) {
  const { id, did, handle, client, redirectTo, scope } = request
  const name = appName(request)
  const [number, setNumber] = useState('')
  const queries = useQueryClient()
  const decide = useMutation({
    async mutationFn(allowed: { readonly number: number } | undefined) {
      const body = { id, isAllowed: allowed !== undefined, ...allowed }
      const { location } = await callAs(did, decideRequest, { body })
      if (allowed) await openAnswer(location)
    },
    onSuccess(_, allowed) {
      toast(allowed ? t.authorize.allowed(name) : t.authorize.denied(name))
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(did, listRequests) }),
  })
  const hasEnded = decide.isIdle ? !isOpen : endings.has(errorName(decide.error) ?? '')
  const deny = () => (hasEnded ? onClose() : decide.mutate(undefined))
  return (
    <Dialog onClose={deny} opensItself title={t.authorize.title(name)}>
      <Form busy={decide.isPending || hasEnded} onSubmit={() => decide.mutate({ number: Number(number) })}>
        <Stack>
          {request.isLocal && (
            <Notice variant="warn">
              {request.isFromHere ? t.authorize.hereText : t.authorize.elsewhereText}
            </Notice>
          )}
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
          <p className={styles.client}>
            {!request.isLocal && (
              <>
                {client.replace(/\?.*$/, '')}
                <br />
              </>
            )}
            {t.authorize.returnsTo} {redirectTo}
          </p>
          {!hasEnded && (
            <Field
              hint={t.authorize.enterNumberHint}
              inputMode="numeric"
              label={t.authorize.enterNumber}
              maxLength={2}
              mono
              onChange={(event) => setNumber(event.target.value)}
              pattern="[1-9][0-9]"
              required
              value={number}
            />
          )}
          <FormError error={hasEnded && decide.isIdle ? t.authorize.expired : decide.error} />
        </Stack>
        <DialogActions>
          {hasEnded ? (
            <Button onClick={onClose}>{t.ui.close}</Button>
          ) : (
            <>
              <Button busy={decide.isPending} onClick={deny}>
                {t.authorize.deny}
              </Button>
              <Button
                busy={decide.isPending}
                disabled={!/^[1-9]\d$/.test(number)}
                type="submit"
                variant="primary"
              >
                {t.authorize.allow}
              </Button>
            </>
          )}
        </DialogActions>
      </Form>
    </Dialog>
  )
}

/** Errors after which the request cannot be answered any more. */
const endings = new Set(['RequestNotFound', 'WrongAccount', 'WrongNumber'])
