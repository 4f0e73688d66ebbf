import { useMutation } from '@tanstack/react-query'
import { callDesktop, DesktopError, useDesktopQuery } from '../../api/desktop.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { FormError } from '../../ui/states.tsx'
import styles from './halted.module.css'

/** Offers a free port and shows the address that it leads to. */
export function UseAnotherPort() {
  const { data: port } = useDesktopQuery('server.freePort')
  const move = useMutation({
    networkMode: 'always',
    mutationFn: async (to: number) => {
      const problems = await callDesktop('settings.change', { port: String(to) })
      if (problems.port) throw new DesktopError(problems.port)
      await callDesktop('server.start')
    },
  })
  if (port === undefined) return null
  return (
    <section className={styles.more}>
      <div className={styles.framed}>
        <CopyField
          label={t.halted.copyAddress}
          name={t.halted.newAddress}
          text={`http://localhost:${port}`}
        />
      </div>
      <FormError error={move.error} />
      <div>
        <Button busy={move.isPending} onClick={() => move.mutate(port)}>
          {t.halted.anotherPort(port)}
        </Button>
      </div>
    </section>
  )
}
