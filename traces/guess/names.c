/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the name of a column tells: the key of the column map and the unit. */
#include "traces/guess/guess_internal.h"

#include <string.h>

#include "base/ascii.h"

/* Names by key, separated by blanks, in lower case and without separators
 * between the words of a name. Earlier names tell more. A column fits a key if
 * its joined name equals one of the names or, less well, contains one of at
 * least four letters. */
static const char *const names[GUESS_N_KEYS] = {
    [CSV_SUBMIT] =
        "submit submitted submittime submittimestamp submittedat "
        "submissiontime submission submissiondate submissiontimestamp "
        "submitat submitdate submitday submithour qtime qsubtime ctime "
        "submitts tsubmit arrival arrivaltime arrivaldate arrivalday "
        "arrived arrivedat created createdat createtime creationtime "
        "creationtimestamp creationdate creation queuedat queued enqueued "
        "enqueuetime enqueuedat requestedat received receivedat "
        "timesubmitted timequeued sent posted timestamp eingereicht "
        "eingereichtam einreichung einreichungszeit einreichezeit "
        "einreichzeit einreichzeitpunkt eingang eingestellt abgeschickt "
        "absendezeit abgesendet abgabe abgabezeit erstellt erstelltam "
        "soumission soumis soumisle soumisea datesoumission "
        "datedesoumission datesoumis heuresoumission heuredesoumission "
        "depot envio enviado enviadoem fechaenvio fechadeenvio horaenvio "
        "horadeenvio submissao submetido submetidoem datasubmissao "
        "datadesubmissao horasubmissao invio inviato inviatoil "
        "sottomissione sottomesso datainvio datasottomissione orainvio "
        "ingediend ingediendop indiening ingestuurd inskickad inlamnad "
        "skickad wyslano zgloszono zgloszenie wyslane gonderim gonderilme "
        "gonderildi odeslano zadano отправлено отправка "
        "отправлена поставлено подача "
        "подано постановка 提交 提交时间 "
        "提交日期 创建时间 提交於 提交時間 投入 "
        "投入時刻 投入日時 投入時間 提出 提出日時 "
        "登録日時 송신 제출 제출시간 제출시각 time "
        "arrive tarrive tarrival enqueue queuedts queuedtime queuetimestamp "
        "submitepoch submittedon "
        "createdon requestedon addedat registered registeredat entered "
        "enteredat qsub tqueued",
    [CSV_GPUS] =
        "gpus ngpus numgpus numgpu gpunum gpucount totalgpus gpustotal gpu "
        "gputotal gpusrequested requestedgpus gpurequest gpurequested "
        "reqgpus reqgpu allocgpus gpusallocated allocatedgpus gpualloc "
        "gpusused gpuused usedgpus numberofgpus noofgpus numofgpus nofgpus "
        "nvidiacomgpu gpuslots gpucards gpudevices numaccelerators "
        "accelerators accelcount cards devices gres alloctres reqtres tres "
        "allocgres reqgres gpulist gpures gpuresources anzahlgpus "
        "anzahlgpu gpuanzahl gpusanzahl grafikkarten anzahlgrafikkarten "
        "karten beschleuniger nbgpu nbgpus nombregpu nombredegpu "
        "nombredegpus nombregpus gpudemandes cartes cartesgraphiques "
        "nbcartes tarjetas tarjetasgraficas numerogpu numerodegpus "
        "cantidadgpu cantidadgpus placas numerodeplacas schede "
        "numeroschede schedevideo aantalgpus gpuaantal aantalgpu kaarten "
        "antalgpu antalgpuer liczbagpu gpusayisi pocetgpu "
        "ускорители видеокарты видеокарт "
        "числоgpu количествоgpu gpu数 gpu数量 gpu卡数 "
        "卡数 显卡 显卡数 显卡数量 使用gpu数 gpu枚数 "
        "gpu台数 使用gpu gpu개수 gpu수 "
        "ngpusrequested gpunumber gpuamount gpudemand devicecount numdevices "
        "ndevices numcards cardcount cardnum "
        "acceleratorcount naccelerators gpusneeded worldsize",
    [GUESS_GPUS_EACH] =
        "gpuspernode gpupernode gpusperworker gpuperworker gpusperreplica "
        "gpuperreplica gpusperinstance gpusperpod gpuperpod gpuspertask "
        "gpupertask gpuspermachine gpusperhost gpusperserver gpuseach "
        "pernodegpus gpuprnode gpusproknoten gpuproknoten gpusjeknoten "
        "gpujeknoten karten proknoten gpuparnoeud gpusparnoeud gpupornodo "
        "gpuspornodo gpuporno gpuspernodo gpupernodo gpusperknooppunt "
        "每节点gpu 每节点gpu数 单节点gpu数 "
        "ノードあたりgpu数",
    [CSV_DURATION] =
        "duration runtime elapsed elapsedtime elapsedraw runningtime "
        "exectime executiontime servicetime jobduration timerun wallclock "
        "wallclocktime wallseconds wallsecs ruwallclock "
        "resourcesusedwalltime usedwalltime walltimeused actualruntime "
        "usage run length service lasted took gelaufen laufzeit dauer "
        "rechenzeit laufdauer rechendauer ausfuehrungszeit ausfuhrungszeit "
        "duree dureeexecution dureeexec dureedexecution tempsexecution "
        "tempsdexecution tempsdecalcul duracion tiempoejecucion "
        "tiempodeejecucion duracao tempoexecucao tempodeexecucao durata "
        "tempoesecuzione tempodiesecuzione duur looptijd rekentijd "
        "uitvoeringstijd korttid varaktighet czastrwania czaswykonania "
        "sure calismasuresi doba trvani длительность "
        "продолжительность времяработы "
        "времявыполнения 时长 运行时间 运行时长 "
        "执行时间 执行时长 持续时间 耗时 運行時間 "
        "実行時間 所要時間 経過時間 稼働時間 실행시간 "
        "소요시간 "
        "ran ranfor realtime actualtime usedtime timeused computetime "
        "runduration activetime",
    [CSV_START] =
        "start started starttime starttimestamp startedat startdate "
        "startts tstart begin begintime beginat began launched launchtime "
        "launchedat scheduledtime scheduled scheduledat runstart "
        "timestarted dispatched dispatchtime startzeit startzeitpunkt "
        "gestartet gestartetam beginn anfang startam debut datedebut "
        "datededebut heuredebut heurededebut demarrage demarre commence "
        "inicio fechainicio fechadeinicio horainicio horadeinicio comienzo "
        "iniciado iniciadoem datainicio datadeinicio inizio datainizio "
        "orainizio avvio avviato iniziato gestartop gestart begonnen "
        "aanvang startad borjan rozpoczecie rozpoczeto baslangic zacatek "
        "spusteno начало запуск запущено "
        "запущена старт начато 开始 开始时间 "
        "启动时间 开始日期 開始 開始時刻 開始日時 "
        "開始時間 시작 시작시간 시작시각 "
        "allocationtime allocatedat alloctime running runningat runningsince "
        "startedon execstart executionstart stime placed placedat assignedat "
        "admitted admittedat activated dispatchedat tlaunch tbegin "
        "allocationstart",
    [CSV_END] =
        "end ended endtime endtimestamp endedat enddate endts tend finish "
        "finished finishtime finishedat finishdate completiontime "
        "completedat completed completion stoptime stop stopped stoppedat "
        "terminated terminatedat timefinished timeended deletiontime "
        "deleted deletedat ende endzeit endzeitpunkt beendet beendetam "
        "schluss abgeschlossen fertig fin finalise datefin datedefin "
        "heurefin heuredefin termine terminele fechafin fechadefin horafin "
        "horadefin finalizado finalizacion terminado fim datafim datadefim "
        "horafim terminoem termino concluido fine datafine orafine "
        "terminato conclusione einde eindtijd beeindigd gereed slut "
        "slutade avslutad zakonczenie zakonczono koniec bitis konec "
        "ukonceno конец окончание завершение "
        "завершено завершена финиш 结束 "
        "结束时间 完成时间 结束日期 結束 終了 終了時刻 "
        "終了日時 終了時間 完了 完了日時 종료 종료시간 "
        "종료시각 "
        "completion done doneat donetime exited exitedat exittime closedat "
        "released releasedat "
        "releasetime finishedon completedon endedon finalized finalizedat "
        "terminationtime tfinish "
        "tcomplete tstop allocationend runend mtime",
    [CSV_WAIT] =
        "wait waittime waiting waitingtime queuetime queuingtime "
        "queueingdelay queuedelay queueing queuewait pendingtime pendtime "
        "delay wartezeit wartedauer attente tempsattente tempsdattente "
        "espera tiempoespera tiempodeespera tempoespera attesa tempoattesa "
        "wachttijd vantetid ожидание времяожидания "
        "等待 等待时间 等待时长 排队时间 待ち時間 "
        "待機時間 대기시간 "
        "queueduration waitduration schedulingdelay startdelay twait tqueue",
    [CSV_LIMIT] =
        "limit timelimit walltime walltimelimit resourcelistwalltime "
        "requestedtime requestedwalltime reqtime reqwalltime timerequested "
        "timeout maxruntime estimate expectedruntime zeitlimit maxlaufzeit "
        "limite tempslimite limitetemps limitetiempo limitetempo "
        "tijdslimiet лимит 时间限制 制限時間",
    [CSV_DUE] = "due duetime duedate",
    [CSV_DEADLINE] = "deadline slo",
    [CSV_ID] =
        "jobid id uuid jobuuid taskid jobidraw jobnumber jobno jobnr "
        "jobnum runid requestid workloadid podname metadataname "
        "metadatauid job nr no auftrag auftragsnummer auftragsnr "
        "auftragsid jobnummer kennung tache idtache idtravail "
        "numerotravail travail trabajo idtrabajo idtarea tarea "
        "numerotrabajo trabalho idtrabalho tarefa idtarefa lavoro idlavoro "
        "taak taaknummer taakid opdracht jobbid zadanie idzadania "
        "numerzadania is isid uloha задача задание "
        "идентификатор номер номерзадачи "
        "作业 作业号 作业id 作业编号 任务 任务号 任务id "
        "任务编号 编号 ジョブ ジョブid ジョブ番号 "
        "作業番号 작업 작업id 작업번호 "
        "allocationid ticket applicationid appid jid slurmjobid executionid "
        "trialid experimentid pod key",
    [CSV_USER] =
        "user username userid owner submitter uid submittedby author "
        "person nutzer benutzer benutzername nutzername besitzer anwender "
        "utilisateur proprietaire usuario nomeutente utente proprietario "
        "gebruiker eigenaar anvandare uzytkownik kullanici uzivatel "
        "пользователь автор владелец 用户 "
        "用户名 使用者 ユーザー ユーザ 利用者 사용자 "
        "who requestedby jobowner ruser createdby launchedby requester",
    [CSV_VC] =
        "vc virtualcluster partition queue queuename pool tenant project "
        "projectid namespace metadatanamespace team group account "
        "organization cluster warteschlange gruppe projekt file "
        "filedattente groupe projet cola particion grupo proyecto fila "
        "particao projeto coda partizione progetto gruppo wachtrij groep "
        "ko kolejka grupa kuyruk fronta очередь раздел "
        "проект группа 队列 分区 项目 组 キュー "
        "パーティション 큐 파티션",
    [CSV_NAME] =
        "name jobname taskname workload title bezeichnung nom nombre nome "
        "naam namn nazwa ad nazev название имя 作业名 "
        "作业名称 任务名 任务名称 名称 ジョブ名 "
        "작업이름",
    [CSV_MODEL] = "model modelname application app network architecture",
    [CSV_DATASET] = "dataset",
    [CSV_GPU_TYPE] =
        "gputype gpumodel gpuspec gpukind gpuname gpuproduct cardtype "
        "cardmodel accelerator acceleratortype acceleratormodel device "
        "devicetype hardware gputyp gpumodell kartentyp typdergpu typegpu "
        "typedegpu modelegpu typecarte tipogpu tipodegpu modelogpu "
        "tipoplaca tiposcheda gpumodello типgpu модельgpu "
        "gpu型号 gpu类型 显卡型号 卡型 gpu種別 gpu機種 "
        "gpu종류",
    [CSV_KIND] = "kind type jobtype tasktype category",
    [CSV_PRIORITY] =
        "priority prio priorityclass qos weight prioritaet prioritat "
        "priorite prioridad prioridade priorita prioriteit "
        "приоритет 优先级 優先度",
    [CSV_STATE] =
        "status state jobstatus jobstate finalstate finalstatus exitstate "
        "result outcome phase podphase statusphase zustand ergebnis etat "
        "statut estado resultado stato esito toestand resultaat tillstand "
        "stan durum stav состояние статус "
        "результат 状态 結果 结果 状態 ステータス "
        "상태 "
        "stat jobstat",
    [CSV_CPUS] =
        "cpus ncpus numcpus cpunum cpu cores ncores vcpus cpucount "
        "cpurequest alloccpus reqcpus slots kerne coeurs nucleos nuclei "
        "kernen rdzenie ядра 核数 cpu数 コア数",
    [CSV_NODES] =
        "nodes nnodes numnodes nodenum nodecount numberofnodes nodesused "
        "nodect resourcelistnodect workers nworkers numworkers workernum "
        "replicas nreplicas instnum instances pods npods hosts nhosts "
        "nexechost machines servers allocnodes reqnodes knoten "
        "anzahlknoten knotenanzahl noeuds nbnoeuds nombrenoeuds "
        "nombredenoeuds nodos numeronodos numerodenodos nos numerodenos "
        "nodi numeronodi knooppunten aantalnodes aantalknooppunten noder "
        "antalnoder wezly liczbawezlow dugum uzly узлы узлов "
        "числоузлов 节点 节点数 节点数量 ノード "
        "ノード数 노드 노드수",
    [CSV_BATCH_SIZE] = "batchsize totalbatchsize globalbatchsize bs",
    [CSV_ATTEMPTS] = "attempts nattempts tries",
    [CSV_MEM] = "mem memory ram reqmem memoryrequest memrequest",
    [CSV_GPU_MEM] = "gpumem gpumemory vram gmem",
    [CSV_GPU_UTIL] = "gpuutil gpuutilization gpuutilisation",
};

/* Units as they occur at the end of column names, and as column maps write
 * them. */
static const struct {
    const char *ending, *unit;
} names_units[] = {
    {"ms", "ms"},
    {"msec", "ms"},
    {"msecs", "ms"},
    {"millis", "ms"},
    {"milliseconds", "ms"},
    {"millisekunden", "ms"},
    {"us", "us"},
    {"usec", "us"},
    {"micros", "us"},
    {"microseconds", "us"},
    {"ns", "ns"},
    {"nanos", "ns"},
    {"nanoseconds", "ns"},
    {"s", "s"},
    {"sec", "s"},
    {"secs", "s"},
    {"second", "s"},
    {"seconds", "s"},
    {"sek", "s"},
    {"sekunden", "s"},
    {"secondes", "s"},
    {"segundos", "s"},
    {"seg", "s"},
    {"secondi", "s"},
    {"seconden", "s"},
    {"sekunder", "s"},
    {"sekundy", "s"},
    {"сек", "s"},
    {"секунд", "s"},
    {"секунды", "s"},
    {"с", "s"},
    {"秒", "s"},
    {"초", "s"},
    {"min", "min"},
    {"mins", "min"},
    {"minute", "min"},
    {"minutes", "min"},
    {"minuten", "min"},
    {"minutos", "min"},
    {"minuti", "min"},
    {"minuter", "min"},
    {"minuty", "min"},
    {"мин", "min"},
    {"минуты", "min"},
    {"минут", "min"},
    {"分", "min"},
    {"分钟", "min"},
    {"분", "min"},
    {"h", "h"},
    {"hr", "h"},
    {"hrs", "h"},
    {"hour", "h"},
    {"hours", "h"},
    {"std", "h"},
    {"stunde", "h"},
    {"stunden", "h"},
    {"heure", "h"},
    {"heures", "h"},
    {"hora", "h"},
    {"horas", "h"},
    {"ora", "h"},
    {"ore", "h"},
    {"uur", "h"},
    {"uren", "h"},
    {"timmar", "h"},
    {"godziny", "h"},
    {"ч", "h"},
    {"час", "h"},
    {"часы", "h"},
    {"часов", "h"},
    {"小时", "h"},
    {"時間", "h"},
    {"시간", "h"},
    {"d", "d"},
    {"day", "d"},
    {"days", "d"},
    {"tag", "d"},
    {"tage", "d"},
    {"jour", "d"},
    {"jours", "d"},
    {"dia", "d"},
    {"dias", "d"},
    {"giorni", "d"},
    {"dagen", "d"},
    {"dagar", "d"},
    {"dni", "d"},
    {"дни", "d"},
    {"дней", "d"},
    {"天", "d"},
    {"日", "d"},
    {"gb", "gib"},
    {"gib", "gib"},
    {"mb", "mib"},
    {"mib", "mib"},
    {"kb", "kib"},
    {"kib", "kib"},
    {"bytes", "b"},
    {"tb", "tib"},
};
/* Last words of names that say nothing about the unit. */
static const char *const names_empty[] = {"utc", "unix",  "epoch", "ts",
                                          "raw", "local", "in",    "since1970"};

#define NAMES_WORDS_MAX 16
#define NAME_MAX_LEN 64

/* Writes a name in lower case and without accents: Latin letters with a mark
 * become plain, Cyrillic ones small. Returns the length. */
static size_t names_fold(struct text name, char *out, size_t room)
{
    /* bases of U+00C0 to U+00FF */
    static const char latin[] = "aaaaaaaceeeeiiiidnooooo.ouuuuytsaaaaaaaceeee"
                                "iiiidnooooo.ouuuuyty";
    size_t n = 0;
    for (size_t i = 0; i < name.len && n + 3 < room; i++) {
        const unsigned char c = (unsigned char)name.at[i];
        const unsigned char d = (unsigned char)text_char(name, i + 1);
        if (c == 0xc3 && d >= 0x80 && d <= 0xbf) {
            out[n++] = latin[d - 0x80];
            i++;
        } else if (c == 0xd0 && d >= 0x90 && d <= 0xaf) {
            out[n++] = (char)(d < 0xa0 ? 0xd0 : 0xd1);
            out[n++] = (char)(d < 0xa0 ? d + 0x20 : d - 0x20);
            i++;
        } else if (c == 0xef && d == 0xbc) {
            /* wide forms of ASCII, such as brackets */
            out[n++] = ' ';
            i += 2;
        } else {
            out[n++] = (char)c;
        }
    }
    return n;
}

/* Splits a name into words in lower case: at ASCII characters that are neither
 * letters nor digits, and before a capital after a small letter. Keeps the
 * first NAMES_WORDS_MAX words and returns their number. */
static size_t names_cut(struct text whole,
                        char words[NAMES_WORDS_MAX][NAME_MAX_LEN])
{
    char folded[NAMES_WORDS_MAX * NAME_MAX_LEN];
    const struct text name = {folded, names_fold(whole, folded, sizeof folded)};
    size_t n = 0, len = 0;
    for (size_t i = 0; i <= name.len; i++) {
        const char c = text_char(name, i);
        const bool letter =
            i < name.len && (ascii_is_alnum(c) || (unsigned char)c >= 0x80);
        const bool hump = letter && i && ascii_is_upper(c) &&
                          ascii_is_letter(name.at[i - 1]) &&
                          !ascii_is_upper(name.at[i - 1]);
        if (len && (!letter || hump)) {
            words[n++][len] = '\0';
            len = 0;
        }
        if (n == NAMES_WORDS_MAX)
            return n;
        if (letter && len + 1 < NAME_MAX_LEN)
            words[n][len++] = ascii_lower(c);
    }
    return n;
}

static const char *names_unit_of(const char *word)
{
    for (size_t i = 0; i < sizeof names_units / sizeof *names_units; i++) {
        if (strcmp(word, names_units[i].ending) == 0)
            return names_units[i].unit;
    }
    return NULL;
}

static bool says_nothing(const char *word)
{
    for (size_t i = 0; i < sizeof names_empty / sizeof *names_empty; i++) {
        if (strcmp(word, names_empty[i]) == 0)
            return true;
    }
    return false;
}

const char *names_unit(struct text name)
{
    char words[NAMES_WORDS_MAX][NAME_MAX_LEN];
    size_t n = names_cut(name, words);
    while (n > 1 && says_nothing(words[n - 1]))
        n--;
    return n > 1 ? names_unit_of(words[n - 1]) : NULL;
}

bool names_say_utc(struct text name)
{
    char words[NAMES_WORDS_MAX][NAME_MAX_LEN];
    const size_t n = names_cut(name, words);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(words[i], "utc") == 0)
            return true;
    }
    return false;
}

/* A name as its joined words, without units and words of `empty` at its end. */
struct joined {
    char text[NAMES_WORDS_MAX * NAME_MAX_LEN];
    size_t len;
    bool edge[NAMES_WORDS_MAX * NAME_MAX_LEN +
              1]; /* a word begins or ends here */
};

static void names_join(struct text name, struct joined *out)
{
    char words[NAMES_WORDS_MAX][NAME_MAX_LEN];
    size_t n = names_cut(name, words);
    memset(out, 0, sizeof *out);
    while (n > 1 && (says_nothing(words[n - 1]) || names_unit_of(words[n - 1])))
        n--;
    out->edge[0] = true;
    for (size_t i = 0; i < n; i++) {
        const size_t k = strlen(words[i]);
        memcpy(out->text + out->len, words[i], k);
        out->len += k;
        out->edge[out->len] = true;
    }
}

/* Returns true if whole words of the name spell `one`. In scripts without
 * blanks any part will do. */
static bool spells(const struct joined *name, struct text one)
{
    const bool ascii = (unsigned char)text_char(one, 0) < 0x80;
    const char *at = name->text;
    size_t left = name->len;
    while (one.len >= 4 && (at = memmem(at, left, one.at, one.len)) != NULL) {
        const size_t from = (size_t)(at - name->text);
        if (!ascii || (name->edge[from] && name->edge[from + one.len]))
            return true;
        at++;
        left = name->len - (size_t)(at - name->text);
    }
    return false;
}

/* Returns true if a word of the name is "gpu" or "gpus" and none says that it
 * is something else than a number of GPUs. */
static bool counts_gpus(struct text name)
{
    static const char *const others[] = {
        "hours",  "hour",   "util",    "utilization", "utilisation", "mem",
        "memory", "time",   "model",   "type",        "id",          "index",
        "name",   "driver", "power",   "price",       "cost",        "avg",
        "mean",   "max",    "percent", "sec",         "seconds",     "h",
        "kind",   "per",    "each",    "pro",         "je",          "par",
        "por",    "temp",   "energy",  "vendor",      "version",     "spec"};
    char words[NAMES_WORDS_MAX][NAME_MAX_LEN];
    const size_t n = names_cut(name, words);
    bool gpu = false;
    for (size_t i = 0; i < n; i++) {
        gpu |= strcmp(words[i], "gpu") == 0 || strcmp(words[i], "gpus") == 0;
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            if (strcmp(words[i], others[k]) == 0)
                return false;
        }
    }
    return gpu;
}

static int fit_whole(struct text name, int key)
{
    struct joined joined;
    names_join(name, &joined);
    struct text rest = text_from(names[key]);
    int rank = 0, best = 0;
    for (; rest.len && joined.len; rank++) {
        struct text one = text_split(rest, ' ', &rest);
        if (text_is(one, joined.text))
            return 100 - (rank < 40 ? rank : 40);
        const int part = 15 + (int)(25 * one.len / joined.len);
        if (part > best && spells(&joined, one))
            best = part;
    }
    if (best == 0 && key == CSV_GPUS && counts_gpus(name))
        best = 18;
    return best;
}

int names_fit(struct text name, int key)
{
    int best = fit_whole(name, key);
    /* A queue is a name, but a queue in hours is a time. */
    if (key == CSV_WAIT && names_unit(name)) {
        struct joined joined;
        names_join(name, &joined);
        best = strcmp(joined.text, "queue") == 0 ? 99 : best;
    }
    /* JSON: the last key tells more than the path to it. */
    for (size_t i = name.len; i-- > 0 && best < 45;) {
        if (name.at[i] != '.')
            continue;
        const int last = fit_whole(text_skip(name, i + 1), key);
        if (last > 45 && best < 45)
            best = 45;
        break;
    }
    return best;
}
