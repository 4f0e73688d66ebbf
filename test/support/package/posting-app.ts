/** An app in the browser that signs in with a password and posts, as a user of the package tests it. */
import { AtpAgent } from '@atproto/api'

/** The part of the browser that it uses: tests are checked without the types of browsers. */
declare const location: { readonly search: string }
declare const document: {
  readonly body: { innerHTML: string }
  querySelector(selector: string): {
    textContent: string
    onsubmit: (event: { preventDefault(): void }) => void
  }
}
declare const FormData: new (form: unknown) => { get(name: string): string }

document.body.innerHTML = `
  <form>
    <label>Handle <input name="handle" /></label>
    <label>Password <input name="password" type="password" /></label>
    <label>Text <input name="text" /></label>
    <button>Post</button>
  </form>
  <p role="status"></p>`

const form = document.querySelector('form')
const status = document.querySelector('p')
const agent = new AtpAgent({ service: new URLSearchParams(location.search).get('service') ?? '' })

async function post(): Promise<void> {
  const fields = new FormData(form)
  await agent.login({ identifier: fields.get('handle'), password: fields.get('password') })
  const { uri } = await agent.post({ text: fields.get('text') })
  const { data } = await agent.com.atproto.repo.listRecords({
    repo: agent.assertDid,
    collection: 'app.bsky.feed.post',
  })
  status.textContent = `Posted ${data.records.length}: ${uri}`
}

form.onsubmit = (event) => {
  event.preventDefault()
  post().catch((error: Error) => {
    status.textContent = `Failed: ${error.message}`
  })
}
