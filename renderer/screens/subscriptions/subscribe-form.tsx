import type { DidString } from '@atproto/lex-schema'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { app, com } from '../../../lexicons/generated/index.ts'
import { callAs } from '../../api/client.ts'
import { errorName } from '../../api/errors.ts'
import { keyOf } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { AddForm } from '../../ui/add-form.tsx'
import { toast } from '../../ui/toast.tsx'

const { listActivitySubscriptions, putActivitySubscription } = app.example.notification

/** Adds a subscription by handle or DID, of this server or another one. */
export function SubscribeForm() {
  const { did } = useSession()
  const client = useQueryClient()
  const add = useMutation({
    mutationFn: async (input: string) => {
      const subject = await didOf(did, input)
      const body = { subject, activitySubscription: { post: true, reply: false } }
      return callAs(did, putActivitySubscription, { body })
    },
    onSuccess: (_, input) => toast(t.subscriptions.added(input)),
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(did, listActivitySubscriptions) }),
  })
  return (
    <AddForm
      action={t.subscriptions.add}
      busy={add.isPending}
      busyText={t.subscriptions.adding}
      label={t.subscriptions.subject}
      onSubmit={(name, callbacks) => add.mutate(name.toLowerCase().replace(/^@/, ''), callbacks)}
      pattern={String.raw`\s*(did:[a-z]+:.+|@?[^\s@.]+(\.[^\s@.]+)+)\s*`}
      placeholder={t.subscriptions.subjectExample}
      problem={errorName(add.error) === 'HandleNotFound' ? t.subscriptions.notFound : add.error}
      title={t.subscriptions.subjectInvalid}
    />
  )
}

async function didOf(account: string, name: string): Promise<DidString> {
  if (name.startsWith('did:')) return name as DidString
  const handle = name as `${string}.${string}`
  return (await callAs(account, com.core.identity.resolveHandle, { params: { handle } })).did
}
