"""What the offline distiller makes of reviews it has never seen: tools, bodies, languages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.distill.model import Distilled, Remark
from bot.distill.offline import Offline
from bot.distill.pipeline import distill_review
from bot.distill.validate import Valid, validate


def distil(*remarks: Remark) -> Distilled:
    return distill_review(Offline(), remarks, limit=2, characters=240)


def sentences(*remarks: Remark) -> list[str]:
    return [lesson.sentence for lesson in distil(*remarks).lessons]


def inline(text: str, path: str | None = None, comment: int = 1) -> Remark:
    return Remark(text, comment, path, None)


BUGBOT = """### Discount applied twice for bundled items

**High Severity**

<!-- DESCRIPTION START -->
`applyDiscount` runs once in `priceBundle` and again in `checkoutTotal`, so customers are \
undercharged.
<!-- DESCRIPTION END -->

<!-- BUGBOT_BUG_ID: 8c7a -->

<details>
<summary>Additional Locations (1)</summary>

- [`src/cart/bundle.ts#L10-L20`](https://example.org/blob/abc/src/cart/bundle.ts#L10-L20)

</details>

<p><a href="https://example.org/open"><picture><img alt="Fix in Cursor" src="x"></picture></a></p>
"""

CODEX = """**<sub><sub>![P1 Badge](https://x.org/P1)</sub></sub>  Guard map writes with the mutex**

`Evict` deletes from `entries` without holding `mu`, while `Get` reads it under `mu.RLock`.

Useful? React with 👍 / 👎.
"""

GREPTILE = """<a href="#"><img alt="P1" src="p1.svg"></a> **Session token logged in plain text**

`Rails.logger.info(session.token)` writes the raw token on every login. Log only a \
hash of the token.

<details><summary>Prompt To Fix With AI</summary>

`````markdown
This is a comment left during a code review.
Path: lib/session.rb
Line: 14

Comment:
**Session token logged in plain text**

How can I resolve this? If you propose a fix, please make it concise.
`````
</details>
"""

SOURCERY = """**issue (bug_risk):** Reading the whole file into memory can exhaust the worker for \
large uploads.

Consider streaming to a temporary file with a bounded chunk size.

Suggested implementation:

```python
chunk = stream.read(SIZE)
```
"""

COPILOT = (
    "The interval created in `usePoll` is never cleared when the component unmounts. "
    "Return a cleanup function from the effect that calls `clearInterval`."
)

CUBIC = """<!-- metadata:{"confidence":9} -->
P1: `sync_all` swallows `TimeoutError` and marks the job as done, so failed accounts are \
never retried.

<details>
<summary>Prompt for AI agents</summary>

```text
Check if this issue is valid — if so, fix it. At jobs/sync.py, line 33:

<comment>`sync_all` swallows `TimeoutError`.</comment>
```

</details>
"""

QODO = """**Suggestion:** Validate that `limit` is positive before passing it to the query. \
[possible issue, importance: 8]

```suggestion
if limit <= 0: return []
```
"""

GEMINI = """![high](https://example.org/high-priority.svg)

Using `pickle.loads()` on the request body can lead to remote code execution. It's better to parse \
the body with `json.loads()`.

```suggestion
    data = json.loads(body)
```
"""

CODERABBIT = """_⚠️ Potential issue_ | _🔴 Critical_

**Undefined variable in the retry branch.**

`attempt` is only assigned inside the loop, so the retry branch raises `NameError` (line 40).

<details>
<summary>🔧 Proposed fix</summary>

```diff
-    if attempt > 3:
+    attempt = 0
```

</details>

<!-- suggestion_start -->

<details>
<summary>📝 Committable suggestion</summary>

> ‼️ **IMPORTANT**
> Carefully review the code before committing.

```suggestion
    attempt = 0
```

</details>

<!-- suggestion_end -->

<details>
<summary>🤖 Prompt for AI Agents</summary>

```
Verify each finding against the current code and only fix it if needed.

In `@jobs/retry.py` around lines 38 - 41, The retry branch reads attempt before it is
assigned; initialize attempt to 0 before the loop in run_with_retry.
```

</details>

<!-- fingerprinting:phantom:medusa -->
"""


@pytest.mark.parametrize(
    ("text", "path", "sentence"),
    [
        (
            BUGBOT,
            "src/cart/total.ts",
            (
                "Do not let `applyDiscount` run once in `priceBundle` and "
                "again in `checkoutTotal` in"
                " `src/cart/total.ts`; otherwise customers are undercharged."
            ),
        ),
        (
            CODEX,
            "pkg/cache/lru.go",
            (
                "Guard map writes with the mutex in `pkg/cache/lru.go`: "
                "`Evict` deletes from `entries`"
                " without holding `mu`, while `Get` reads it under `mu.RLock`."
            ),
        ),
        (
            GREPTILE,
            "lib/session.rb",
            (
                "Log only a hash of the token in `lib/session.rb`: "
                "`Rails.logger.info(session.token)` writes the raw token on every login."
            ),
        ),
        (
            SOURCERY,
            "api/upload.py",
            (
                "Stream to a temporary file with a bounded chunk size in "
                "`api/upload.py`: reading the"
                " whole file into memory can exhaust the worker for large uploads."
            ),
        ),
        (
            COPILOT,
            "web/usePoll.ts",
            (
                "Return a cleanup function from the effect that calls `clearInterval` in"
                " `web/usePoll.ts`: the interval created in `usePoll` is never cleared when the"
                " component unmounts."
            ),
        ),
        (
            CUBIC,
            "jobs/sync.py",
            (
                "Do not let `sync_all` swallow `TimeoutError` and mark the job as done in"
                " `jobs/sync.py`; otherwise failed accounts are never retried."
            ),
        ),
        (
            QODO,
            "db/reader.py",
            "Validate that `limit` is positive in `db/reader.py` before passing it to the query.",
        ),
        (
            GEMINI,
            "api/hooks.py",
            (
                "Parse the body with `json.loads()` in `api/hooks.py`: using "
                "`pickle.loads()` on the"
                " request body can lead to remote code execution."
            ),
        ),
        (
            CODERABBIT,
            "jobs/retry.py",
            (
                "Define variable in the retry branch in `jobs/retry.py` before "
                "using it: `attempt` is"
                " only assigned inside the loop, so the retry branch raises `NameError`."
            ),
        ),
    ],
)
def test_an_inline_finding_of_each_tool(text: str, path: str, sentence: str) -> None:
    assert sentences(inline(text, path)) == [sentence]


# Bodies

CODERABBIT_BODY = """**Actionable comments posted: 0**

> [!CAUTION]
> Some comments are outside the diff and can't be posted inline due to platform limitations.
>
> <details>
> <summary>⚠️ Outside diff range comments (1)</summary><blockquote>
>
> <details>
> <summary>server/migrate.go (1)</summary><blockquote>
>
> `40-58`: _⚠️ Potential issue_ | _🔴 Critical_
>
> **Run the backfill inside the migration's transaction.**
>
> If the backfill fails halfway, the migration is still recorded as done.
>
> </blockquote></details>
>
> </blockquote></details>

<details>
<summary>🧹 Nitpick comments (2)</summary><blockquote>

<details>
<summary>server/names.go (2)</summary><blockquote>

`3-3`: **Typo in comment.**

Fix the typo.

---

`12-20`: **Consider using a computed property for `minBalance`.**

The value is evaluated once, so overriding `buyAmount` leaves it stale.

</blockquote></details>

</blockquote></details>

<details>
<summary>📜 Review details</summary>

**Plan**: Pro

<details>
<summary>🪛 Ruff (0.14.5)</summary>

12-12: Use `raise ... from err`

</details>

</details>

<details>
<summary>🔇 Additional comments (1)</summary><blockquote>

<details>
<summary>server/ok.go (1)</summary><blockquote>

`1-9`: **LGTM: clean parsing.**

</blockquote></details>

</blockquote></details>
<!-- This is an auto-generated comment by CodeRabbit for review status -->
"""


def test_the_sections_of_a_body_by_the_reviewers_mark_then_in_order() -> None:
    assert sentences(Remark(CODERABBIT_BODY)) == [
        (
            "Run the backfill inside the migration's transaction in "
            "`server/migrate.go`: if the backfill"
            " fails halfway, the migration is still recorded as done."
        ),
        (
            "Use a computed property for `minBalance` in `server/names.go`: "
            "the value is evaluated once,"
            " so overriding `buyAmount` leaves it stale."
        ),
    ]


def test_the_reviewers_mark_goes_before_the_order_and_inline_before_the_body() -> None:
    low = "![low](x)\n\nUse `pathlib.Path` instead of `os.path.join` for the cache folder."
    high = "![high](x)\n\nClose `response.body` in `fetchAll` when decoding fails."
    plain = "Reject a negative `offset` in `list_rows` before it reaches the query."
    remarks = [Remark(plain), inline(low, "a.py", 1), inline(high, "b.go", 2)]
    answer = distil(*remarks)
    assert [lesson.comment for lesson in answer.lessons] == [2, None]
    both = [inline(plain, "c.py", 3), Remark("Never log the raw `Authorization` header.")]
    assert [lesson.comment for lesson in distil(*reversed(both)).lessons] == [3, None]


def test_numbered_findings_of_a_body_and_their_places() -> None:
    body = """## Code Review

### Summary
This PR adds a webhook receiver. Overall the structure is clean.

### Issues

1. **Signature compared with `==`** (`webhooks/verify.py:31`) – Use `hmac.compare_digest` instead.
2. **Missing size limit** – The receiver reads the whole body before checking its length.

### Strengths
- Good test coverage

### Verdict
Changes requested
"""
    assert sentences(Remark(body)) == [
        "Use `hmac.compare_digest` in `webhooks/verify.py` instead: signature compared with `==`.",
        "Add size limit: the receiver reads the whole body before checking its length.",
    ]


def test_a_finding_in_a_body_that_links_to_its_line() -> None:
    body = """### 💡 Codex Review

https://example.org/o/r/blob/0123456789abcdef/src/auth/session.ts#L40-L44
**<sub><sub>![P1 Badge](x)</sub></sub>  Revoke refresh tokens on password change**

Changing the password leaves all refresh tokens valid.

<details> <summary>ℹ️ About Codex in GitHub</summary>

- Open a pull request for review

</details>
"""
    assert sentences(Remark(body)) == [
        (
            "Revoke refresh tokens on password change in `src/auth/session.ts`: changing the"
            " password leaves all refresh tokens valid."
        )
    ]


def test_findings_in_the_cells_of_a_table() -> None:
    body = """## PR Code Suggestions ✨

<table><thead><tr><td><strong>Category</strong></td><td>Suggestion</td></tr></thead><tbody>
<tr><td>Possible issue</td><td>

<details><summary>Close the cursor on early return</summary>

___

**The database cursor stays open when `load_rows` returns early, which leaks a connection.**

[db/reader.py [10-22]](https://example.org/pull/1/files)

<details><summary>Suggestion importance[1-10]: 8</summary>

__

Why: The suggestion correctly identifies a leak.

</details></details></td></tr></tbody></table>
"""
    assert sentences(Remark(body)) == [
        (
            "Close the cursor on early return: the database cursor stays open when `load_rows`"
            " returns early, which leaks a connection."
        )
    ]


def test_a_person_writes_plainly() -> None:
    body = """Thanks for working on this!

A couple of things before we can merge:

- Please don't call `os.exit` from library code, return an error so that callers can decide.
- The new `Config.Timeout` must be documented in `docs/config.md`.
- nit: trailing whitespace
"""
    assert sentences(Remark(body)) == [
        "Don't call `os.exit` from library code, return an error so that callers can decide.",
        "Document the new `Config.Timeout` in `docs/config.md`.",
    ]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("", "It holds no finding."),
        ("LGTM, thanks!", "approval"),
        ("Looks good to me! 👍\n\nReviewed everything up to 1234567 in 30 seconds.", "approval"),
        ("Cursor Bugbot has reviewed your changes and found 2 potential issues.", "pointer"),
        ("**Actionable comments posted: 3**", "pointer"),
        ("Please see my comments inline.", "pointer"),
        ("> [!WARNING]\n> ## Rate limit exceeded\n>\n> Please wait **12 minutes**.", "notice"),
        ("Copilot wasn't able to review any files in this pull request.", "notice"),
        ("Fixed in 3f4a2b1c, and addressed the naming remark as well.", "reply"),
        ("Addressed all comments:\n\n1. **Locks** — Added `release()` calls.", "reply"),
        (
            "## Pull request overview\n\nThis PR adds a cache.\n\n**Changes:**\n- Adds `Cache`",
            "summary",
        ),
        ("## Walkthrough\n\n| File | Change |\n|---|---|\n| a.py | Adds a check |", "summary"),
    ],
)
def test_what_teaches_nothing_gives_none_and_says_why(body: str, why: str) -> None:
    answer = distil(Remark(body))
    assert answer.lessons == ()
    assert why in str(answer.ignored)


def test_a_summary_beside_findings_adds_nothing() -> None:
    body = "## Pull request overview\n\nCopilot reviewed 3 files and generated 1 comment."
    assert [lesson.comment for lesson in distil(Remark(body), inline(COPILOT, "a.ts")).lessons] == [
        1
    ]


def test_a_style_remark_alone_becomes_no_bullet() -> None:
    assert (
        sentences(inline('**nitpick (typo):** Typo: "recieve" should be "receive".', "a.py")) == []
    )
    assert sentences(inline("Import of `os` is not used.", "a.py")) == []


def test_a_question_that_only_asks_becomes_no_bullet() -> None:
    assert sentences(inline("Why is this needed?", "a.go")) == []


def test_the_same_finding_twice_is_one_lesson_and_is_about_no_single_file() -> None:
    text = "Using `expect()` on the lock can panic. Use `unwrap_or_else` to recover the lock."
    again = "Similarly, using `expect()` on the lock can panic. Use `unwrap_or_else` to recover it."
    (only,) = sentences(inline(text, "a.rs", 1), inline(again, "b.rs", 2))
    assert "`unwrap_or_else`" in only
    assert "a.rs" not in only


# Meaning


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        # A negation is neither dropped nor doubled.
        (
            (
                "The formatter does not use tabs and uses spaces, so do not add "
                "tabs to `Makefile` snippets."
            ),
            (
                "Do not add tabs to `Makefile` snippets: the formatter does not "
                "use tabs and uses spaces."
            ),
        ),
        (
            "`user_id` should never be taken from the request body.",
            "Do not take `user_id` from the request body.",
        ),
        (
            "We must not retry `charge_card` after a timeout.",
            "Do not retry `charge_card` after a timeout.",
        ),
        (
            "The connection is never closed when `decode` throws.",
            "Close the connection when `decode` throws.",
        ),
        (
            "The `slug` parameter is used in `fetch` paths without sanitization.",
            "Do not use the `slug` parameter in `fetch` paths without sanitization.",
        ),
        (
            "`parse()` silently swallows `JSONDecodeError` and returns an empty dict.",
            "Do not let `parse()` silently swallow `JSONDecodeError` and return an empty dict.",
        ),
        (
            "The new `Exporter` nodes lack test coverage for failures.",
            "Add test coverage for failures to the new `Exporter` nodes.",
        ),
        # Preventing what should happen is no gain.
        (
            "Including the path in `postMessage` will prevent the message from being delivered.",
            (
                "Do not include the path in `postMessage`: it will prevent the message from being"
                " delivered."
            ),
        ),
        (
            "Using `Promise.all` here would avoid one failure per request.",
            "Use `Promise.all` to avoid one failure per request.",
        ),
        (
            "Using the debug build as a gate makes `release.yml` flaky.",
            "Do not use the debug build as a gate: it makes `release.yml` flaky.",
        ),
        # What it leaves out is what it has to do.
        (
            "`unique()` filters out known rows but does not remove repeated rows of the input.",
            "Make `unique()` remove repeated rows of the input.",
        ),
        (
            "If `find()` returns nothing, `row.name` will raise an error.",
            "Handle the case where `find()` returns nothing: `row.name` will raise an error.",
        ),
        # "This" is the code: what it does is not to be done.
        (
            "This sends the mail to all guests, so many people get it twice.",
            "Do not send the mail to all guests; otherwise many people get it twice.",
        ),
        # Faults that are only named.
        (
            "Wrong offset calculation using `start` instead of `end`",
            "Do not use `start` instead of `end` for offset calculation.",
        ),
        (
            "`render()` called without the required `user` argument",
            "Do not call `render()` without the required `user` argument.",
        ),
        (
            "Case sensitivity bypass in `deny_list`",
            "Prevent case sensitivity bypass in `deny_list`.",
        ),
        (
            "Delete and pause items are hidden, but `menu` ignores the role.",
            "Do not let `menu` ignore the role.",
        ),
        (
            "The lookup in `load` could be hoisted out of the loop.",
            "Hoist the lookup in `load` out of the loop.",
        ),
        (
            "The job may shut down before `flush()` is done.",
            "Do not let the job shut down before `flush()` is done.",
        ),
        ("Duplicate `Deps` literal", "Do not duplicate `Deps` literal."),
        ("Returns the wrong `Provider`", "Do not return the wrong `Provider`."),
        (
            "The handler lives in `api.py` and should validate `body` first.",
            "Make the handler validate `body` first (`api.py`).",
        ),
        (
            "It would be safer for `clone_in_cache` to return a `Result`.",
            "Make `clone_in_cache` return a `Result`.",
        ),
    ],
)
def test_a_statement_becomes_the_order_it_means(text: str, sentence: str) -> None:
    assert sentences(inline(text)) == [sentence]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Do we need a lock here?", "Check whether a lock is needed in `a.go`."),
        ("Should `flush()` be awaited?", "Await `flush()` in `a.go`."),
        (
            "What happens if `rows` is empty?",
            "Handle the case where `rows` is empty in `a.go`.",
        ),
    ],
)
def test_a_question_may_hide_a_request(text: str, sentence: str) -> None:
    assert sentences(inline(text, "a.go")) == [sentence]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "`src/db.py` leaks the session when a query raises; close it in a `finally` block.",
            (
                "Close the session in a `finally` block: `src/db.py` leaks the session when a"
                " query raises."
            ),
        ),
        (
            "The array is created without a type. Initialize with `dtype=int64`.",
            "Initialize the array with `dtype=int64`: it is created without a type.",
        ),
        ("Move the added dependencies to `Cargo.toml`.", "Move dependencies to `Cargo.toml`."),
    ],
)
def test_what_an_order_leaves_to_its_neighbours_is_named(text: str, sentence: str) -> None:
    assert sentences(inline(text)) == [sentence]


def test_a_reason_with_figures_of_one_pull_request_is_left_out() -> None:
    text = "Read the version from `setup.cfg`. It is `0.1.0`, but `docs` have `0.2.0`, wrongly."
    assert sentences(inline(text)) == ["Read the version from `setup.cfg`."]


def test_names_that_look_like_html_stay() -> None:
    text = "The <Modal> component never unmounts Map<String, User> listeners."
    assert sentences(inline(text)) == [
        "Make the `<Modal>` component unmount `Map<String, User>` listeners."
    ]


def test_a_place_does_not_split_a_list_or_a_quotation() -> None:
    text = "Validate the name, size, and type of `file` before storing it."
    assert sentences(inline(text, "up.py")) == [
        "Validate the name, size, and type of `file` in `up.py` before storing it."
    ]


def test_a_word_of_style_in_code_or_behind_the_title_is_no_style_remark() -> None:
    text = "**Reject unknown flags instead of ignoring them**\n\nA typo such as `--jons` passes."
    assert sentences(inline(text, "cli.ts")) == [
        "Reject unknown flags in `cli.ts` instead of ignoring them: a typo such as `--jons` passes."
    ]


def test_a_title_may_begin_with_a_verb_that_is_a_noun_elsewhere() -> None:
    text = "**Return failure when discovery errors**\n\nThe list is empty then."
    assert sentences(inline(text))[0].startswith("Return failure when discovery errors")


def test_replacement_code_is_not_copied() -> None:
    text = (
        "Return early when `rows` is empty.\n\n```suggestion\nif not rows: return secret_token\n```"
    )
    assert sentences(inline(text)) == ["Return early when `rows` is empty."]


def test_the_prompt_for_agents_is_not_a_second_finding() -> None:
    assert len(distil(inline(CODERABBIT, "jobs/retry.py")).lessons) == 1


def test_a_comment_without_a_line_or_path_is_still_read() -> None:
    assert sentences(Remark("Validate `x` before `run()` uses it.", 7, None, None)) == [
        "Validate `x` before `run()` uses it."
    ]


@pytest.mark.parametrize(
    "text", ["Do not use tabs and use spaces.", "This module does not use tabs and uses spaces."]
)
def test_what_is_denied_stays_denied_beside_what_is_not(text: str) -> None:
    assert "not use tabs" in " ".join(sentences(inline(text)))


def test_what_leans_on_its_neighbours_is_not_stored() -> None:
    assert sentences(inline("Correction to the bullet above: `detect_os()` returns linux.")) == []
    (only,) = sentences(inline("As noted above (line 31), close `cursor` on this line.", "db.py"))
    assert only == "Close `cursor` in `db.py`."


def test_mentions_numbers_and_closing_words_leave_the_sentence() -> None:
    text = "As @alice said in #123, `parse_date` must reject dates in the future, fixes org/repo#9."
    assert sentences(inline(text)) == ["Make `parse_date` reject dates in the future."]


def test_hidden_text_html_and_badges_leave_no_trace() -> None:
    text = (
        'Validate `x` before use. <img src=x onerror="alert(1)"> <!-- state: AAAA -->\r\n\r\n'
        "![badge](https://example.org/b.svg)\r\n\r\nMore. <!-- never closed `y` **Remove z.**"
    )
    assert sentences(inline(text)) == ["Validate `x` before use."]


def test_trigger_and_strategy_say_when_and_what() -> None:
    (lesson,) = distil(inline(CODEX, "pkg/cache/lru.go")).lessons
    assert lesson.trigger == "Changing `pkg/cache/lru.go` or using `Evict`, `entries`"
    assert lesson.strategy == "Guard map writes with the mutex in `pkg/cache/lru.go`"


# Languages


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "`slug`をそのまま`fetch`のパスに使用しています。`encodeURIComponent`でエンコードしてください。",
            "`slug`をそのまま`fetch`のパスに使用しているため、`encodeURIComponent`でエンコードする。",
        ),
        (
            "Das Passwort sollte vor dem Speichern mit `argon2` gehasht werden.",
            "Das Passwort vor dem Speichern mit `argon2` hashen.",
        ),
        (
            (
                "Die Verbindung `conn` wird nicht geschlossen, wenn ein Fehler "
                "auftritt. Es wird empfohlen,"
                " den Aufruf in einen `with`-Block zu verschieben."
            ),
            (
                "Den Aufruf in einen `with`-Block verschieben: Die Verbindung `conn` wird nicht"
                " geschlossen, wenn ein Fehler auftritt."
            ),
        ),
        (
            "Der Wert von `save()` wird ignoriert. Bitte den Fehler prüfen und weitergeben.",
            "Den Fehler prüfen und weitergeben: Der Wert von `save()` wird ignoriert.",
        ),
        (
            "Hier fehlt eine Prüfung auf `null`, bevor `name` gelesen wird.",
            "Eine Prüfung auf `null` ergänzen, bevor `name` gelesen wird.",
        ),
        (
            "Il manque une vérification de `null` avant la lecture de `name`.",
            "Ajouter une vérification de `null` avant la lecture de `name`.",
        ),
        (
            "缓存键未包含租户，建议将`tenant_id`加入`cacheKey`。",
            "缓存键未包含租户，应将`tenant_id`加入`cacheKey`。",
        ),
        (
            "사용자 입력 `name`을 쿼리에 넣기 전에 검증하는 것이 좋습니다.",
            "사용자 입력 `name`을 쿼리에 넣기 전에 검증하세요.",
        ),
        (
            "El parámetro `next` debería validarse antes de usarse en la redirección.",
            "Validar el parámetro `next` antes de usarse en la redirección.",
        ),
        (
            "Il token viene salvato in chiaro. Si consiglia di usare un cookie `HttpOnly`.",
            "Usare un cookie `HttpOnly`: Il token viene salvato in chiaro.",
        ),
        (
            "Il faudrait valider le champ `email` avant de l'enregistrer dans la base.",
            "Valider le champ `email` avant de l'enregistrer dans la base.",
        ),
    ],
)
def test_a_finding_is_distilled_in_its_own_language(text: str, sentence: str) -> None:
    assert sentences(inline(text)) == [sentence]


# Any text

PIECES = st.sampled_from(
    [
        "Consider using `x`. ",
        "<details><summary>a.py (2)</summary><blockquote>",
        "</blockquote></details>",
        "<!--",
        "-->",
        "```suggestion\n",
        "`10-20`: **Title.**",
        "> quoted\n",
        "\n\n",
        "\r\n",
        "| a | b |\n|---|---|\n",
        "\u202e\u200b\ufeff",
        "![high](x)",
        "この値を検証してください。",
        "should never be ",
        "- [ ] ",
        "🤖 Prompt for AI Agents",
        "`",
        "\ue000",
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=40)), max_size=25).map("".join)


@given(st.lists(TEXTS, max_size=4), st.sampled_from([None, "src/a b.py", "x.go", "`"]))
@settings(max_examples=200)
def test_any_text_gives_valid_bullets_or_a_reason(texts: list[str], path: str | None) -> None:
    remarks = [Remark(text, number or None, path) for number, text in enumerate(texts)]
    answer = distil(*remarks)
    assert len(answer.lessons) <= 2
    assert (answer.ignored is None) == bool(answer.lessons)
    for lesson in answer.lessons:
        assert validate(lesson.sentence, 240) == Valid(lesson.sentence)
        assert len(lesson.trigger) <= 120
        assert len(lesson.strategy) <= 120


def test_deep_and_long_input_is_read_to_its_end() -> None:
    nested = "<details>" * 3000 + "\n\nClose `f`.\n\n" + "</details>" * 3000
    assert distil(Remark(nested)).lessons == ()
    for heap in ("x" * 60_000, "(" * 60_000, "`" * 60_000, "a_" * 30_000, ", so " * 12_000):
        distil(Remark(heap), inline(heap, "a.py"))
    padded = "word " * 10_000 + "\n\n- Close `handle` in `read_all` when parsing fails.\n"
    assert "Close `handle` in `read_all` when parsing fails." in sentences(Remark(padded))
