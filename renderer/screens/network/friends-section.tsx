import { Laptop } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { type Pairing, useBefriend, useNearby } from '../../api/friends.ts'
import { useProcedure } from '../../api/hooks.ts'
import { usePolledUpstreams } from '../../api/upstreams.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Row, RowList, Section, Stack } from '../../ui/page.tsx'
import { Badge, EmptyState, FormError, Loaded } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import styles from './network.module.css'

const { answerPairing, askComputer, forgetPairing, listNearby } = com.core.friend

/** Servers on the same network, and the digits that connect two of them. */
export function FriendsSection() {
  const query = useNearby()
  const { data: followed } = usePolledUpstreams()
  const ask = useProcedure(askComputer, [listNearby], { onError: toastError })
  const known = new Set(followed?.upstreams.map(({ url }) => url))
  return (
    <Section lead={t.friends.lead} title={t.friends.title}>
      <Loaded query={query} rows={1}>
        {({ computers, pairings: [pairing] }) => (
          <>
            {computers.length === 0 ? (
              <EmptyState icon={Laptop} text={t.friends.noneText} title={t.friends.none} />
            ) : (
              <RowList label={t.friends.title}>
                {computers.map(({ id, name, handle, url }) => (
                  <Row
                    action={
                      known.has(url) ? (
                        <Badge variant="good">{t.friends.followed}</Badge>
                      ) : (
                        <Button
                          aria-label={t.friends.connectWith(name)}
                          busy={ask.isPending && ask.variables.id === id}
                          onClick={() => ask.mutate({ id })}
                        >
                          {t.friends.connect}
                        </Button>
                      )
                    }
                    as="li"
                    detail={handle}
                    icon={<Laptop aria-hidden size={20} strokeWidth={1.75} />}
                    key={id}
                    title={name}
                  />
                ))}
              </RowList>
            )}
            {pairing && <PairingDialog key={pairing.id} pairing={pairing} />}
          </>
        )}
      </Loaded>
    </Section>
  )
}

function PairingDialog({ pairing }: { readonly pairing: Pairing }) {
  const { id, state, isAsking, name, handle, code } = pairing
  const answer = useProcedure(answerPairing, [listNearby])
  const forget = useProcedure(forgetPairing, [listNearby])
  const befriend = useBefriend({
    onSuccess() {
      toast(t.friends.done(handle))
      forget.mutate({ id })
    },
  })
  const isAgreed = state === 'agreed'
  const { mutate } = befriend
  const hasBegun = useRef(false)
  useEffect(() => {
    if (!isAgreed || hasBegun.current) return
    hasBegun.current = true
    mutate(pairing)
  }, [isAgreed, mutate, pairing])
  const isOver = state === 'declined' || isAgreed
  const close = () => {
    if (isOver) forget.mutate({ id })
    else answer.mutate({ id, isSame: false }, { onSuccess: () => forget.mutate({ id }) })
  }
  return (
    <Dialog
      onClose={close}
      opensItself={!isAsking}
      title={isAsking ? t.friends.asking(name) : t.friends.asked(name)}
    >
      <Stack>
        <p>{t.friends.compare(handle)}</p>
        <output aria-label={t.friends.code} className={styles.code}>
          {`${code.slice(0, 3)} ${code.slice(3)}`}
        </output>
        <p role="status">{t.friends.states[state as keyof typeof t.friends.states]}</p>
        <FormError error={answer.error ?? befriend.error} />
      </Stack>
      <DialogActions>
        {state === 'compare' && (
          <>
            <Button onClick={close}>{t.friends.different}</Button>
            <Button
              busy={answer.isPending}
              onClick={() => answer.mutate({ id, isSame: true })}
              variant="primary"
            >
              {t.friends.same}
            </Button>
          </>
        )}
        {state === 'confirmed' && <Button onClick={close}>{t.ui.cancel}</Button>}
        {isAgreed && befriend.error && (
          <Button busy={befriend.isPending} onClick={() => mutate(pairing)} variant="primary">
            {t.ui.retry}
          </Button>
        )}
        {isOver && !befriend.isPending && <Button onClick={close}>{t.ui.close}</Button>}
      </DialogActions>
    </Dialog>
  )
}
