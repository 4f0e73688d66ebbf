import type { HandleString } from '@atproto/syntax'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { AtSign } from 'lucide-react'
import { com } from '../../../lexicons/generated/index.ts'
import { useIsOwner } from '../../api/account.ts'
import { errorName } from '../../api/call-errors.ts'
import { callAs } from '../../api/client.ts'
import { callDesktop, invalidate, useDesktopQuery } from '../../api/desktop.ts'
import { useProcedure } from '../../api/hooks.ts'
import { findSession, useMaybeSession, useSession } from '../../api/sessions.ts'
import { useDialogWork } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog, DialogButton } from '../../ui/dialog.tsx'
import { Row } from '../../ui/page.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import styles from './network.module.css'

/** The consequences of a change, a paragraph each. */
export function Points({ texts }: { readonly texts: readonly string[] }) {
  return (
    <div className={styles.points}>
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  )
}

/** A public address that a program of the person gives. */
export interface Publication {
  /** The part of the desktop that drives the program: Tailscale or Cloudflare. */
  readonly by: 'tunnel' | 'connector'
  readonly url?: string | undefined
  /** The handle that the owner had before. */
  readonly handle?: string | undefined
}

/** The way in which the server is public now; undefined if it is private, or through a proxy of the person. */
export function usePublication(): Publication | undefined {
  const { data: tunnel } = useDesktopQuery('tunnel.view')
  const { data: connector } = useDesktopQuery('connector.view')
  if (tunnel?.isPublic) return { ...tunnel, by: 'tunnel' }
  return connector?.isPublic ? { ...connector, by: 'connector' } : undefined
}

/** The public name as the handle of the owner. */
export function HandleOffer({ host }: { readonly host: string }) {
  return useMaybeSession() && !host.includes(':') ? <OfSession host={host} /> : null
}

function OfSession({ host }: { readonly host: string }) {
  const client = useQueryClient()
  const isOwner = useIsOwner()
  const { handle } = useSession()
  const change = useProcedure(com.core.identity.updateHandle, [com.core.server.getSession.main], {
    onSuccess: () => toast(t.tunnel.handleDone(host)),
    onError: toastError,
  })
  if (!isOwner || handle === host) return null
  const use = async () => {
    await callDesktop('tunnel.keepHandle', handle)
    await Promise.all([invalidate(client, 'tunnel.view'), invalidate(client, 'connector.view')])
    change.mutate({ handle: host as HandleString })
  }
  return (
    <Row
      action={
        <Button busy={change.isPending} onClick={() => void use().catch(toastError)}>
          {t.tunnel.handleSubmit}
        </Button>
      }
      detail={t.tunnel.handleDetail}
      icon={<AtSign aria-hidden size={20} strokeWidth={1.75} />}
      title={t.tunnel.handleTitle(host)}
    />
  )
}

export function TakeBackButton({ publication }: { readonly publication: Publication }) {
  return (
    <DialogButton dialog={(close) => <TakeBackDialog onClose={close} publication={publication} />}>
      {t.tunnel.takeBack}
    </DialogButton>
  )
}

interface TakeBackDialogProps {
  readonly publication: Publication
  onClose(): void
}

function TakeBackDialog({ publication, onClose }: TakeBackDialogProps) {
  const { by, handle } = publication
  const takeBack = useTakeBack(publication)
  const work = useDialogWork({
    run: () => takeBack.mutateAsync(),
    done: t.tunnel.takenBack,
    onClose,
  })
  const handleText = handle === undefined ? [] : [t.tunnel.takeBackHandle(handle)]
  return (
    <ConfirmDialog {...work} action={t.tunnel.takeBack} title={t.tunnel.takeBackTitle}>
      <Points texts={[t.tunnel.takeBackTexts[by], ...handleText, ...t.network.privateText]} />
    </ConfirmDialog>
  )
}

/** Takes everything back that going public has changed: the handle first, which needs the public server. */
export function useTakeBack(publication: Publication | undefined) {
  const client = useQueryClient()
  const did = useMaybeSession()?.did
  return useMutation({
    async mutationFn() {
      if (!publication) return
      const before = handleBefore(publication, did)
      if (did !== undefined && before !== undefined) {
        const input = { handle: before as HandleString }
        await callAs(did, com.core.identity.updateHandle, { body: input }).catch((error: unknown) => {
          // A computer without a connection must become private, too. The handle is changed on Account later.
          if (errorName(error) !== 'UpstreamFailure') throw error
          toastError(error)
        })
      }
      await callDesktop(`${publication.by}.close`)
    },
    onSettled: async () => {
      await Promise.all([
        invalidate(client, 'tunnel.view'),
        invalidate(client, 'connector.view'),
        invalidate(client, 'settings.view'),
        client.invalidateQueries(),
      ])
    },
  })
}

/** The former handle of the account, if the public name is its handle now. */
function handleBefore({ url = '', handle }: Publication, did: string | undefined): string | undefined {
  const session = did === undefined ? undefined : findSession(did)
  return session?.handle === hostOf(url) ? handle : undefined
}

export function hostOf(url: string): string {
  return url.replace('https://', '')
}
