import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { type Body, call, callAs } from '../../api/client.ts'
import { keyOf, usePublicXrpcQuery } from '../../api/hooks.ts'
import { useMaybeSession, useSessions } from '../../api/sessions.ts'
import { desktop } from '../../bridge.ts'
import { scopeWords } from '../../parts/scopes.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Panel, Stack } from '../../ui/page.tsx'
import { Loaded, Notice } from '../../ui/states.tsx'
import styles from './authorize.module.css'
import { EntranceForm } from './entrance-form.tsx'
import { SignIn } from './sign-in.tsx'

const { decideRequest, getAnswer, getRequest, waitForApproval } = com.core.oauth

type Request = Body<typeof getRequest.main>

/** Milliseconds between questions whether a request was approved in the app window. */
const pollMs = 2000

/** The page to which an app sends the browser: a person allows or denies its request. */
export function Authorize({ id }: { readonly id: string }) {
  const request = usePublicXrpcQuery(getRequest, { id }, { staleTime: Number.POSITIVE_INFINITY })
  const session = useMaybeSession()
  if (request.isError) return <Unknown />
  return (
    <Loaded query={request}>
      {(data) => {
        if (data.isDecided) return <Waiting request={data} />
        return session ? <Consent request={data} /> : <Outsider request={data} />
      }}
    </Loaded>
  )
}

function Unknown() {
  useEffect(() => {
    document.title = t.app.title(t.authorize.unknownTitle)
  }, [])
  return (
    <>
      <h1 tabIndex={-1}>{t.authorize.unknownTitle}</h1>
      <Notice live variant="warn">
        {t.authorize.expired}
      </Notice>
    </>
  )
}

/** The name under which an app is shown: names that it gives itself prove nothing. */
export function appName({ client, isLocal }: Pick<Request, 'client' | 'isLocal'>): string {
  return isLocal ? t.authorize.here : (URL.parse(client)?.host ?? client)
}

/** Offers a sign-in, and the approval in the app window, in which no password is typed. */
function Outsider({ request }: { readonly request: Request }) {
  const [isWaiting, setWaiting] = useState(request.number !== undefined)
  if (isWaiting) return <Waiting request={request} />
  return (
    <>
      <SignIn lead={t.authorize.signInFirst(appName(request))} />
      <InApp onChosen={() => setWaiting(true)} />
    </>
  )
}

function InApp({ onChosen }: { onChosen(): void }) {
  if (desktop) return null
  return (
    <Panel padded>
      <Stack>
        <Button onClick={onChosen}>{t.authorize.inApp}</Button>
        <p>{t.authorize.inAppText}</p>
      </Stack>
    </Panel>
  )
}

/** Shows the number, and goes back to the app once the request is decided. */
function Waiting({ request: { id } }: { readonly request: Request }) {
  const number = useQuery({
    queryKey: keyOf('', getRequest, { id }).concat('number'),
    queryFn: () => call(waitForApproval, { body: { id } }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const answer = useQuery({
    queryKey: keyOf('', getRequest, { id }).concat('answer'),
    queryFn: () => call(getAnswer, { body: { id } }),
    refetchInterval: ({ state }) => (state.data?.location === undefined && !state.error ? pollMs : false),
    refetchIntervalInBackground: true,
    retry: false,
  })
  useGoTo(answer.data?.location)
  if (answer.isError) return <Unknown />
  return (
    <>
      <h1 tabIndex={-1}>{t.authorize.inApp}</h1>
      <Stack>
        <p>{t.authorize.waiting}</p>
        <p aria-label={t.authorize.number} className={styles.number} role="status">
          {number.data?.number}
        </p>
      </Stack>
    </>
  )
}

function useGoTo(location: string | undefined): void {
  useEffect(() => {
    if (location !== undefined) window.location.assign(location)
  }, [location])
}

function Consent({ request }: { readonly request: Request }) {
  const sessions = useSessions()
  const current = useMaybeSession()
  const hinted = sessions.find(({ did, handle }) => [did, handle].includes(request.loginHint ?? ''))
  const [did, setDid] = useState((hinted ?? current)?.did ?? '')
  const { id } = request
  const name = appName(request)
  const decide = useMutation({
    async mutationFn(isAllowed: boolean) {
      await callAs(did, decideRequest, { body: { id, isAllowed } })
      return call(getAnswer, { body: { id } })
    },
  })
  useGoTo(decide.data?.location)
  return (
    <EntranceForm
      action={t.authorize.allow}
      busy={decide.isPending || decide.isSuccess}
      error={decide.error}
      links={
        <Button busy={decide.isPending} onClick={() => decide.mutate(false)}>
          {t.authorize.deny}
        </Button>
      }
      onSubmit={() => decide.mutate(true)}
      title={t.authorize.title(name)}
    >
      {request.isLocal && <Notice variant="warn">{t.authorize.hereText}</Notice>}
      <SelectField
        label={t.authorize.account}
        onChange={setDid}
        options={sessions.map((session) => ({ value: session.did, label: session.handle }))}
        value={did}
      />
      <RequestedScopes request={request} />
      <p className={styles.note}>{t.authorize.end}</p>
    </EntranceForm>
  )
}

/** What the app asks for, and where it says that it is. */
function RequestedScopes({ request: { scope, client, redirectTo } }: { readonly request: Request }) {
  return (
    <Panel padded>
      <Stack>
        <div>
          <h2 className={styles.label}>{t.authorize.may}</h2>
          <ul className={styles.scopes}>
            {scopeWords(scope).map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        </div>
        <dl className={styles.facts}>
          <dt>{t.authorize.client}</dt>
          <dd>{client.replace(/\?.*$/, '')}</dd>
          <dt>{t.authorize.returnsTo}</dt>
          <dd>{redirectTo}</dd>
        </dl>
      </Stack>
    </Panel>
  )
}
