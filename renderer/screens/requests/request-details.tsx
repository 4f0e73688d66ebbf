import { endpoint } from '../../api/endpoint.ts'
import { Facts } from '../../parts/facts.tsx'
import { t } from '../../strings/en.ts'
import { formatDateTime, formatTime } from '../../strings/format.ts'
import { CopyBlock, CopyButton } from '../../ui/copy.tsx'
import { curlOf, testOf } from './copied-code.ts'
import { appOf } from './filter.ts'
import type { InspectedRequest } from './inspected-request.ts'
import styles from './requests.module.css'

/** Everything about a request, and code that sends it again. */
export function RequestDetails({ request }: { readonly request: InspectedRequest }) {
  const { params, input, inputCut, errorBody } = request
  return (
    <>
      <Facts facts={factsOf(request)} />
      {params.length > 0 && (
        <Block
          copy={t.requests.copyParams}
          text={params.map(({ name, value }) => `${name}=${value}`).join('\n')}
          title={t.requests.params}
        />
      )}
      {input !== undefined && (
        <Block
          copy={t.requests.copyInput}
          text={indented(input)}
          title={inputCut ? t.requests.inputCut : t.requests.input}
        />
      )}
      {errorBody !== undefined && (
        <Block copy={t.requests.copyError} text={indented(errorBody)} title={t.requests.error} />
      )}
      <div className="buttons">
        <CopyButton full label={t.requests.copyCurl} text={curlOf(request, endpoint)} />
        <CopyButton full label={t.requests.copyTest} text={testOf(request)} />
      </div>
    </>
  )
}

interface BlockProps {
  readonly title: string
  readonly text: string
  /** Label of the copy button. */
  readonly copy: string
}

function Block({ title, text, copy }: BlockProps) {
  return (
    <div className={styles.block}>
      <h2 className={styles.blockTitle}>{title}</h2>
      <CopyBlock label={copy} text={text} wrap />
    </div>
  )
}

type Fact = keyof typeof t.requests.facts

function factsOf(request: InspectedRequest): Record<string, string | undefined> {
  const { at, verb, path, status, error, microseconds, did, handle, app, openedWith } = request
  const { client, origin, inputBytes, inputType, outputBytes } = request
  const facts: Record<Fact, string | undefined> = {
    time: `${formatDateTime(at)} (${formatTime(at)})`,
    method: `${verb} ${path}`,
    status: status === undefined ? t.requests.cancelledDetail : [status, error].filter(Boolean).join(' '),
    duration: t.requests.ms(microseconds),
    account: did && [handle, did].filter(Boolean).join(', '),
    session: openedWith && (t.requests.openedWith[openedWith] ?? openedWith),
    app: app ?? appOf(request),
    client,
    page: origin,
    input: inputBytes === undefined ? undefined : t.requests.size(inputBytes, inputType),
    output: t.requests.size(outputBytes),
  }
  return Object.fromEntries(
    Object.entries(facts).map(([fact, value]) => [t.requests.facts[fact as Fact], value]),
  )
}

/** JSON on several lines. A text that was cut is valid, too. */
function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
