# SPDX-License-Identifier: GPL-3.0-or-later
import torch


class BertModel(torch.nn.Module):
    def __init__(self, layers=24, hidden=1024, heads=16):
        super().__init__()
        layer = torch.nn.TransformerEncoderLayer(hidden, heads)
        self.encoder = torch.nn.TransformerEncoder(layer, layers)


class BertForPreTraining(BertModel):
    pass


class BertForQuestionAnswering(BertModel):
    SIZES = {"bert-base-uncased": (12, 768, 12), "bert-large-uncased": (24, 1024, 16)}

    @classmethod
    def load(cls, name, checkpoint):
        model = cls(*cls.SIZES[name])
        model.load_state_dict(torch.load(checkpoint, map_location="cpu")["model"], strict=False)
        return model
