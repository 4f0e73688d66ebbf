import type { DidString } from '@atproto/lex-schema'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { app, com } from '../../../lexicons/generated/index.ts'
import { call, callAs } from '../../api/client.ts'
import { explain } from '../../api/errors.ts'
import { keyOf } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './subscriptions.module.css'

const { listActivitySubscriptions, putActivitySubscription } = app.example.notification

/** Adds a subscription by handle or DID. */
export function SubscribeForm() {
  const { did } = useSession()
  const client = useQueryClient()
  const [name, setName] = useState('')
  const add = useMutation({
    mutationFn: async (input: string) => {
      const subject = await didOf(input)
      const body = { subject, activitySubscription: { post: true, reply: false } }
      return callAs(did, putActivitySubscription, { body })
    },
    onSuccess: (_, input) => {
      toast(t.subscriptions.added(input))
      setName('')
    },
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(did, listActivitySubscriptions) }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate(name.trim().toLowerCase().replace(/^@/, ''))
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <Field
        autoCapitalize="none"
        autoComplete="off"
        error={add.error ? explain(add.error) : undefined}
        label={t.subscriptions.subject}
        onChange={(event) => setName(event.target.value)}
        pattern={String.raw`\s*(did:[a-z]+:.+|@?[^\s@.]+(\.[^\s@.]+)+)\s*`}
        placeholder={t.subscriptions.subjectExample}
        required
        spellCheck={false}
        title={t.subscriptions.subjectInvalid}
        value={name}
      />
      <Button busy={add.isPending} variant="primary" type="submit">
        {t.subscriptions.add}
      </Button>
    </form>
  )
}

async function didOf(name: string): Promise<DidString> {
  if (name.startsWith('did:')) return name as DidString
  const handle = name as `${string}.${string}`
  return (await call(com.core.identity.resolveHandle, { params: { handle } })).did
}
